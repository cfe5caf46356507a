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
