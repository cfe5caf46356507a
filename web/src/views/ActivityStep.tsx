/** One step: a thought, or a call with its arguments, what it gave back, and who allowed it. */

import { memo, useState } from "react";
import { span } from "../locales";
import { wordsOf } from "../state/entries";
import type { Step, ThoughtStep, ToolStep } from "../state/thread";
import { Markdown } from "../text/Markdown";
import { short } from "./Activity";
import { useTexts } from "./context";
import { Detail } from "./Detail";
import { Icon } from "./icons";

const SHOWN = 20_000;

export const ActivityStep = memo(function ActivityStep({ step }: { readonly step: Step }) {
  return <li>{step.is === "thought" ? <Thought step={step} /> : <ToolCall step={step} />}</li>;
});

function Thought({ step }: { readonly step: ThoughtStep }) {
  const texts = useTexts();
  return (
    <div className="thought">
      <span className="meta">{step.live ? texts.thinking : texts.thought(span(step.milliseconds))}</span>
      <Markdown text={step.text} live={step.live} />
    </div>
  );
}

function ToolCall({ step }: { readonly step: ToolStep }) {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <div className="tool" data-outcome={step.outcome}>
      <button type="button" className="line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Mark outcome={step.outcome} />
        <code className="chip">{step.name}</code>
        <span className="subject">{step.title === "" ? short(step.args) : step.title}</span>
        <span className="meta">{step.outcome === "ok" ? span(step.milliseconds) : texts.outcome[step.outcome]}</span>
      </button>
      {open && <ToolBody step={step} />}
    </div>
  );
}

function ToolBody({ step }: { readonly step: ToolStep }) {
  const texts = useTexts();
  const output = step.outcome === "running" ? step.tail : wordsOf(step.output).slice(0, SHOWN);
  return (
    <div className="body">
      {step.detail === "" ? <Detail text={pretty(step.args)} form="text" /> : <Detail text={step.detail} form={step.form} />}
      {step.decided !== null && (
        <p className="meta">
          {step.decided.allowed ? texts.allowed : texts.denied}
          {step.decided.by?.host !== undefined && ` · ${texts.answeredIn(step.decided.by.host)}`}
          {step.decided.text !== undefined && ` · ${step.decided.text}`}
        </p>
      )}
      {output !== "" && <Detail text={output} form="text" label={texts.result} />}
    </div>
  );
}

function Mark({ outcome }: { readonly outcome: ToolStep["outcome"] }) {
  if (outcome === "ok") return <Icon name="check" size={14} />;
  return outcome === "error" || outcome === "denied" || outcome === "interrupted" ? <Icon name="cross" size={14} /> : <span className="dot" />;
}

function pretty(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}
