/** What the turn that runs is doing: for how long, at which step, how full the window is. */

import { useEffect, useState } from "react";
import { count, money, span } from "../locales";
import type { Conversation } from "../state/conversation";
import { useTexts } from "./context";

const TICK_MS = 1_000;

export function RunStrip({ conversation }: { readonly conversation: Conversation }) {
  const texts = useTexts();
  const { meta, step, status } = conversation;
  const running = status?.running === true;
  const elapsed = useElapsed(running ? (status.since ?? null) : null);
  const facts = [
    running ? elapsed : "",
    running && step !== null ? texts.step(step.step) : "",
    step?.model ?? meta?.model ?? "",
    texts.mode[meta?.mode ?? ""] ?? "",
    money(meta?.usage.cost_micros ?? 0),
  ].filter((fact) => fact !== "");
  const share = step !== null && step.room > 0 ? Math.min(1, step.tokens / step.room) : null;
  return (
    <div className="strip" data-running={running}>
      {running && <span className="dot live" aria-hidden="true" />}
      <span className="meta">{facts.join(" · ")}</span>
      {share !== null && step !== null && (
        <span className="gauge" title={`${texts.context}: ${count(step.tokens)} / ${count(step.room)}`}>
          <meter min={0} max={1} value={share} aria-label={texts.context} />
        </span>
      )}
    </div>
  );
}

function useElapsed(since: string | null): string {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (since === null) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [since]);
  return since === null ? "" : span(Math.max(1_000, now - Date.parse(since)));
}
