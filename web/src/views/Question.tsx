/** A question that only a person can answer: whether a call may run, or what a tool asks. */

import { useState } from "react";
import type { QuestionShown } from "../wire";
import { useClient, useTexts } from "./context";
import { Detail } from "./Detail";

export function Question({ question, session }: { readonly question: QuestionShown; readonly session: string }) {
  const texts = useTexts();
  const client = useClient();
  const [words, setWords] = useState("");
  const [sent, setSent] = useState(false);
  const answer = (allowed: boolean, always: "" | "session" | "workspace" = "", text = words) => {
    setSent(true);
    client.answer(session, question.id, { allowed, always, text });
  };
  const asks = question.tool === "" || question.text !== "";
  return (
    <section className="question" aria-label={texts.asks} data-sent={sent}>
      <h2 dir="auto">{asks ? question.text : texts.question.title(question.tool)}</h2>
      {question.title !== "" && <p dir="auto">{question.title}</p>}
      {question.detail !== "" && <Detail text={question.detail} form={question.form} />}
      {question.options.length > 0 && (
        <div className="buttons">
          {question.options.map((option) => (
            <button key={option} type="button" className="button" disabled={sent} onClick={() => answer(true, "", option)}>
              {option}
            </button>
          ))}
        </div>
      )}
      <input
        value={words}
        onChange={(event) => setWords(event.target.value)}
        placeholder={asks ? texts.question.answer : texts.question.instead}
        aria-label={asks ? texts.question.answer : texts.question.instead}
      />
      <div className="buttons">
        {asks ? (
          <button type="button" className="button main" disabled={sent} onClick={() => answer(true)}>
            {texts.question.answer}
          </button>
        ) : (
          <PermissionButtons canAlways={question.can_always} disabled={sent} answer={answer} />
        )}
      </div>
    </section>
  );
}

interface PermissionButtonsProps {
  readonly canAlways: boolean;
  readonly disabled: boolean;
  readonly answer: (allowed: boolean, always?: "" | "session" | "workspace") => void;
}

function PermissionButtons({ canAlways, disabled, answer }: PermissionButtonsProps) {
  const { question } = useTexts();
  return (
    <>
      <button type="button" className="button" disabled={disabled} onClick={() => answer(false)}>
        {question.deny}
      </button>
      {canAlways && (
        <button type="button" className="button" disabled={disabled} onClick={() => answer(true, "session")}>
          {question.session}
        </button>
      )}
      {canAlways && (
        <button type="button" className="button" disabled={disabled} onClick={() => answer(true, "workspace")}>
          {question.workspace}
        </button>
      )}
      <button type="button" className="button main" disabled={disabled} onClick={() => answer(true)}>
        {question.once}
      </button>
    </>
  );
}
