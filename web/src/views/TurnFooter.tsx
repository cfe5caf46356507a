/** The end of a turn: what it took, and what went wrong. */

import { memo } from "react";
import { count, money, span } from "../locales";
import type { FooterRow } from "../state/thread";
import { useTexts } from "./context";
import { CopyButton } from "./CopyButton";
import { Icon } from "./icons";
import type { MessageActions } from "./MessageActions";

export const TurnFooter = memo(function TurnFooter({ row, actions }: { readonly row: FooterRow; readonly actions: MessageActions }) {
  const texts = useTexts();
  const { usage, question } = row;
  const used = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  const facts = [row.model, span(row.milliseconds), used === 0 ? "" : texts.tokens(count(used)), money(usage?.cost_micros ?? 0)];
  return (
    <footer className="turn-end">
      {row.why !== "answered" && (
        <p className={row.why === "failed" ? "problem failed" : "problem"}>
          {texts.turn[row.why] ?? row.why}
          {row.during !== "" && ` ${texts.duringTool(row.during)}`}
          {row.note !== "" && `: ${row.note}`}
          <button type="button" className="plain" onClick={() => actions.goOn()}>
            {texts.goOn}
          </button>
        </p>
      )}
      <div className="actions">
        <CopyButton text={row.words} />
        {question !== null && (
          <button
            type="button"
            className="quiet"
            title={texts.regenerate}
            aria-label={texts.regenerate}
            onClick={() => actions.regenerate(question)}
          >
            <Icon name="again" size={16} />
          </button>
        )}
        <button type="button" className="quiet" title={texts.fork} aria-label={texts.fork} onClick={() => actions.fork(row.at)}>
          <Icon name="fork" size={16} />
        </button>
        <span className="meta">{facts.filter((fact) => fact !== "").join(" · ")}</span>
      </div>
    </footer>
  );
});
