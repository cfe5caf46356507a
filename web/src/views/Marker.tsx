/** Something of the log that is neither said nor done: a summary, a goal, a command, what was remembered. */

import { memo, useState } from "react";
import { wordsOf } from "../state/entries";
import type { MarkerRow } from "../state/thread";
import { Markdown } from "../text/Markdown";
import { useClient, useTexts } from "./context";

export const Marker = memo(function Marker({ row, session }: { readonly row: MarkerRow; readonly session: string }) {
  const texts = useTexts();
  const { entry } = row;
  switch (entry.kind) {
    case "compacted":
      return <Summary row={row} session={session} />;
    case "user_said":
      return <SaidByUs text={wordsOf(entry.parts)} host={entry.source?.host ?? ""} />;
    case "goal_set":
      return <p className="marker goal">{texts.goalSet(entry.objective)}</p>;
    case "goal_ended":
      return (
        <p className="marker goal">
          {texts.goalEnded(entry.verdict)}
          {entry.notes !== undefined && ` · ${entry.notes}`}
        </p>
      );
    case "consolidated":
      return <p className="marker">{texts.remembered((entry.facts ?? []).map((fact) => fact.text ?? fact.op).join(" "))}</p>;
    case "delivered":
      return (
        <article className="message agent delivered">
          <Markdown text={wordsOf(entry.parts)} />
        </article>
      );
    case "command_ran":
      return (
        <div className="marker command">
          <code>{entry.command}</code>
          {entry.output !== undefined && <pre tabIndex={0}>{entry.output}</pre>}
        </div>
      );
    default:
      return null;
  }
});

/** A message that no person said, folded to its first line. */
function SaidByUs({ text, host }: { readonly text: string; readonly host: string }) {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  const [first = ""] = text.split("\n");
  const step = /\d+/.exec(first)?.[0];
  const line = host === "goal" && step !== undefined ? texts.goal.step(Number(step)) : first;
  return (
    <div className="marker said-by-us">
      <button type="button" className="line" aria-expanded={open} onClick={() => setOpen(!open)} dir="auto">
        {line}
      </button>
      {open && <pre className="detail">{text}</pre>}
    </div>
  );
}

function Summary({ row, session }: { readonly row: MarkerRow; readonly session: string }) {
  const texts = useTexts();
  const client = useClient();
  const [open, setOpen] = useState(false);
  if (row.entry.kind !== "compacted") return null;
  const { first, last, summary } = row.entry;
  return (
    <div className="marker summary">
      <button type="button" className="line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span>{row.undone ? texts.compactedUndone : texts.compacted}</span>
      </button>
      {open && (
        <div className="body">
          <p className="meta">{texts.compactedBetween(first, last)}</p>
          <Markdown text={summary} />
          {!row.undone && (
            <button type="button" className="button" onClick={() => void client.command(session, "/compact undo")}>
              {texts.undo}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
