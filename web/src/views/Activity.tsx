/** What the agent did between its words: one line, opened to its steps. */

import { memo, useState } from "react";
import { count, span } from "../locales";
import type { Texts } from "../locales/en";
import type { ActivityRow, Step } from "../state/thread";
import { ActivityStep } from "./ActivityStep";
import { useTexts } from "./context";
import { Icon } from "./icons";

export const Activity = memo(function Activity({ row }: { readonly row: ActivityRow }) {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  const failed = row.steps.some((step) => step.is === "tool" && (step.outcome === "error" || step.outcome === "interrupted"));
  return (
    <section className="activity" data-live={row.live}>
      <button type="button" className="line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={14} />
        <span className={row.live ? "label live" : "label"}>{row.live ? now(texts, row.steps) : summary(texts, row.steps)}</span>
        {failed && <span className="failed">{texts.outcome.error}</span>}
      </button>
      {open && (
        <ol className="steps">
          {row.steps.map((step) => (
            <ActivityStep key={step.key} step={step} />
          ))}
        </ol>
      )}
    </section>
  );
});

/** What is going on, in one line. */
function now(texts: Texts, steps: readonly Step[]): string {
  const last = steps.at(-1);
  if (last === undefined) return texts.working;
  if (last.is === "thought") return texts.thinking;
  if (last.outcome === "writing" && last.tail !== "") return texts.writingCall(last.name, count(Number(last.tail)));
  return last.title === "" ? `${last.name} ${short(last.args)}` : last.title;
}

function summary(texts: Texts, steps: readonly Step[]): string {
  const tools = steps.filter((step) => step.is === "tool");
  const time = span(steps.reduce((sum, step) => sum + step.milliseconds, 0));
  const [only] = tools;
  if (only === undefined) return texts.thought(time);
  if (tools.length === 1) return texts.worked(only.title === "" ? `${only.name} ${short(only.args)}` : only.title, time);
  return texts.worked(texts.steps(tools.length), time);
}

/** The first argument of a call: what it is about. */
export function short(args: string): string {
  try {
    const read: unknown = JSON.parse(args === "" ? "{}" : args);
    const [first] = Object.values(read as Record<string, unknown>);
    return typeof first === "string" ? (first.split("\n")[0] ?? "").slice(0, 80) : "";
  } catch {
    return "";
  }
}
