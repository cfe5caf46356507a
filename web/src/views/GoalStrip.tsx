/** The goal of a conversation in one line; it opens to a sheet with everything about it. */

import { useState } from "react";
import { count, money, moment, span } from "../locales";
import type { GoalShown } from "../wire";
import { useTexts } from "./context";
import { Dialog } from "./Dialog";

interface GoalStripProps {
  readonly goal: GoalShown;
  readonly onRun: (line: string) => void;
}

export function GoalStrip({ goal, onRun }: GoalStripProps) {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  const state = texts.goal.status[goal.status] ?? goal.status;
  return (
    <>
      <button type="button" className="goal-strip" data-status={goal.status} aria-expanded={open} onClick={() => setOpen(true)}>
        <span className="dot" aria-hidden="true" />
        <span className="title" dir="auto">
          {goal.title || goal.objective}
        </span>
        <span className="meta">
          {state}
          {goal.step > 0 && ` · ${texts.goal.step(goal.step)}`}
        </span>
      </button>
      {open && <GoalSheet goal={goal} onRun={onRun} onClose={() => setOpen(false)} />}
    </>
  );
}

function GoalSheet({ goal, onRun, onClose }: GoalStripProps & { readonly onClose: () => void }) {
  const texts = useTexts();
  const [change, setChange] = useState("");
  const { goal: words } = texts;
  const rests = goal.status === "paused" || goal.status === "blocked" || goal.status === "waiting";
  const left = [
    goal.tokens_left === null ? "" : texts.tokens(count(goal.tokens_left)),
    goal.steps_left === null ? "" : texts.steps(goal.steps_left),
    goal.seconds_left === null ? "" : span(goal.seconds_left * 1000),
    goal.cost_left_micros === null ? "" : money(goal.cost_left_micros),
  ].filter((each) => each !== "");
  const facts: readonly (readonly [string, string])[] = [
    [words.state, [words.status[goal.status] ?? goal.status, goal.reason].filter(Boolean).join(": ")],
    [words.waitsUntil, goal.waits_until === null ? "" : moment(texts, goal.waits_until)],
    [words.report, goal.report],
    [words.next, goal.next_step],
    [words.items, goal.items === 0 ? "" : `${goal.items_met} / ${goal.items}`],
    [words.verdict, [goal.verdict, goal.verdict_why].filter(Boolean).join(": ")],
    [words.used, [texts.tokens(count(goal.tokens)), span(goal.seconds * 1000), money(goal.cost_micros)].filter(Boolean).join(" · ")],
    [words.left, left.join(" · ")],
  ];
  return (
    <Dialog title={goal.title || words.name} onClose={onClose}>
      <p dir="auto">{goal.objective}</p>
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
      {goal.checks.length > 0 && <pre className="detail command">{goal.checks.join("\n")}</pre>}
      <form
        className="settings"
        onSubmit={(event) => {
          event.preventDefault();
          if (change.trim() !== "") onRun(`/goal edit ${change.trim()}`);
          onClose();
        }}
      >
        <label>
          {words.change}
          <input value={change} dir="auto" onChange={(event) => setChange(event.target.value)} />
        </label>
        <div className="buttons">
          <button type="button" className="button failed" onClick={() => onRun("/goal cancel")}>
            {words.cancel}
          </button>
          <button type="button" className="button" onClick={() => onRun(rests ? "/goal resume" : "/goal pause")}>
            {rests ? words.resume : words.pause}
          </button>
          <button type="submit" className="button main" disabled={change.trim() === ""}>
            {words.add}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
