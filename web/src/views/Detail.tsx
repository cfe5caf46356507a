/** Text as it is: a command, a result, or a diff with its lines coloured. */

export function Detail({ text, form, label }: { readonly text: string; readonly form: string; readonly label?: string }) {
  return (
    <pre className={`detail ${form}`} tabIndex={0} aria-label={label}>
      {form === "diff" ? text.split("\n").map((line, index) => <DiffLine key={index} line={line} />) : text}
    </pre>
  );
}

function DiffLine({ line }: { readonly line: string }) {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "place" : "";
  return <span className={kind}>{`${line}\n`}</span>;
}
