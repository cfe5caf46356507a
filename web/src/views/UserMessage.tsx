/** What a person said. */

import { memo } from "react";
import type { UserRow } from "../state/thread";
import { wordsOf } from "../state/entries";
import { Attachments } from "./Attachments";
import { useTexts } from "./context";
import { CopyButton } from "./CopyButton";
import { Icon } from "./icons";
import type { MessageActions } from "./MessageActions";

interface UserMessageProps {
  readonly row: UserRow;
  readonly session: string;
  readonly actions: MessageActions;
}

export const UserMessage = memo(function UserMessage({ row, session, actions }: UserMessageProps) {
  const texts = useTexts();
  const words = wordsOf(row.entry.parts);
  const blobs = row.entry.parts.filter((part) => part.kind === "blob");
  return (
    <article className="message user" aria-label={texts.you}>
      <div className="bubble" dir="auto">
        <Attachments blobs={blobs} session={session} />
        {words}
      </div>
      {row.queued ? (
        <div className="meta">
          {texts.queued}
          <button type="button" className="plain" onClick={() => actions.takeBack(row.at)}>
            {texts.takeBack}
          </button>
        </div>
      ) : (
        <div className="actions">
          {row.versions.length > 1 && <Versions row={row} actions={actions} />}
          <CopyButton text={words} />
          <button type="button" className="quiet" title={texts.edit} aria-label={texts.edit} onClick={() => actions.edit(row)}>
            <Icon name="edit" size={16} />
          </button>
          <button type="button" className="quiet" title={texts.fork} aria-label={texts.fork} onClick={() => actions.fork(row.at)}>
            <Icon name="fork" size={16} />
          </button>
          <button type="button" className="quiet" title={texts.rewind} aria-label={texts.rewind} onClick={() => actions.rewind(row.at)}>
            <Icon name="back" size={16} />
          </button>
          <button type="button" className="quiet" title={texts.copyLink} aria-label={texts.copyLink} onClick={() => actions.link(row.at)}>
            <Icon name="link" size={16} />
          </button>
        </div>
      )}
    </article>
  );
});

/** Which of several ways is shown, and the ones beside it. */
function Versions({ row, actions }: { readonly row: UserRow; readonly actions: MessageActions }) {
  const texts = useTexts();
  // The entry of a branch is its message, or what was written just before it, such as a new title.
  const at = row.versions.findLastIndex((branch) => branch.first <= row.at);
  const button = (index: number, name: string, turned: string) => {
    const branch = row.versions[index];
    return (
      <button type="button" className={`quiet ${turned}`} aria-label={name} title={name} disabled={branch === undefined} onClick={() => branch && actions.rewind(branch.tip)}>
        <Icon name="chevron" size={16} />
      </button>
    );
  };
  return (
    <span className="versions">
      {button(at - 1, texts.previous, "turned")}
      <span className="meta">{texts.findCount(at + 1, row.versions.length)}</span>
      {button(at + 1, texts.next, "")}
    </span>
  );
}
