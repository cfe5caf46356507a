/** What a slash command gave back, shown above the composer until it is closed. */

import { Markdown } from "../text/Markdown";
import { useTexts } from "./context";
import { Icon } from "./icons";

/** The answers of commands/answers.py that can be shown; others are for another host. */
export type CommandAnswer =
  | { readonly kind: "prose"; readonly markdown: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "facts"; readonly title: string; readonly facts: readonly { readonly name: string; readonly value: string }[] }
  | {
      readonly kind: "table";
      readonly title: string;
      readonly columns: readonly { readonly name: string; readonly right: boolean }[];
      readonly rows: readonly (readonly string[])[];
      readonly note: string;
    }
  | { readonly kind: "switch_to"; readonly key: string; readonly at: number | null }
  | { readonly kind: "confirm"; readonly question: string; readonly then: string }
  | { readonly kind: "typed"; readonly text: string };

interface AnswersProps {
  readonly answers: readonly CommandAnswer[];
  readonly onClose: () => void;
  readonly onRun: (line: string) => void;
}

export function Answers({ answers, onClose, onRun }: AnswersProps) {
  const texts = useTexts();
  return (
    <section className="answers" role="status">
      <button type="button" className="quiet" aria-label={texts.close} onClick={onClose}>
        <Icon name="close" size={16} />
      </button>
      {answers.map((answer, index) => (
        <Answer key={index} answer={answer} onRun={onRun} />
      ))}
    </section>
  );
}

function Answer({ answer, onRun }: { readonly answer: CommandAnswer; readonly onRun: (line: string) => void }) {
  const texts = useTexts();
  switch (answer.kind) {
    case "prose":
      return <Markdown text={answer.markdown} />;
    case "note":
      return <p className="meta">{answer.text}</p>;
    case "lines":
      return <pre className="detail">{answer.lines.join("\n")}</pre>;
    case "facts":
      return <Facts answer={answer} />;
    case "table":
      return <AnswerTable answer={answer} />;
    case "confirm":
      return (
        <div className="buttons">
          <p>{answer.question}</p>
          <button type="button" className="button main" onClick={() => onRun(answer.then)}>
            {texts.yes}
          </button>
        </div>
      );
    default:
      return null;
  }
}

function Facts({ answer }: { readonly answer: CommandAnswer & { readonly kind: "facts" } }) {
  return (
    <>
      {answer.title !== "" && <h3>{answer.title}</h3>}
      <dl className="facts">
        {answer.facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd dir="auto">{fact.value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function AnswerTable({ answer }: { readonly answer: CommandAnswer & { readonly kind: "table" } }) {
  return (
    <div className="markdown">
      {answer.title !== "" && <h3>{answer.title}</h3>}
      <div className="table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {answer.columns.map((column) => (
                <th key={column.name} className={column.right ? "align-right" : undefined}>
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, place) => (
                  <td key={place} className={answer.columns[place]?.right === true ? "align-right" : undefined} dir="auto">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {answer.note !== "" && <p className="meta">{answer.note}</p>}
    </div>
  );
}
