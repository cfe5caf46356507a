/** A conversation: its rows, what waits to be sent, and the questions of the agent. */

import { useEffect, useMemo, useRef, useState } from "react";
import { firstOf } from "../state/conversation";
import type { Conversation } from "../state/conversation";
import type { Outgoing } from "../state/page";
import { rowsOf } from "../state/thread";
import { useClient, useShown, useTexts } from "./context";
import { Icon } from "./icons";
import type { MessageActions } from "./MessageActions";
import { OutgoingMessage } from "./OutgoingMessage";
import { Question } from "./Question";
import { useScrolling } from "./scrolling";
import { ThreadRow } from "./ThreadRow";

const FIRST_ROWS = 80;
const MORE_ROWS = 60;
const NEAR_TOP = 600;

interface ThreadProps {
  readonly conversation: Conversation;
  readonly actions: MessageActions;
  /** A position to show, from a link or a search. */
  readonly wanted: number | null;
}

export function Thread({ conversation, actions, wanted }: ThreadProps) {
  const texts = useTexts();
  const client = useClient();
  const session = conversation.key;
  const rows = useMemo(() => rowsOf(conversation), [conversation]);
  const outbox = useShown((page) => page.outbox);
  const waiting = useMemo(() => outbox.filter((each) => each.session === session), [outbox, session]);
  const [hidden, setHidden] = useState(() => Math.max(0, rows.length - FIRST_ROWS));
  const from = Math.min(hidden, Math.max(0, rows.length - 1));
  const shown = rows.slice(from);
  const scrolling = useScrolling(session, conversation);
  const seen = useSeen(conversation);
  useNewQuestion(rows.filter((row) => row.row === "user").at(-1)?.key, waiting, scrolling.putOnTop);
  useWanted(conversation, wanted, rows, (index) => setHidden((was) => Math.min(was, Math.max(0, index - 10))), scrolling.show);

  const older = () => {
    if (from > 0) setHidden(Math.max(0, from - MORE_ROWS));
    else void client.older(session);
  };
  const onScroll = () => {
    scrolling.onScroll();
    if ((scrolling.scroller.current?.scrollTop ?? NEAR_TOP) < NEAR_TOP) older();
  };
  const isWhole = from === 0 && firstOf(conversation) === 0;
  return (
    <div className="thread-frame">
      <div className="thread" ref={scrolling.scroller} onScroll={onScroll} tabIndex={-1}>
        <div className="column" ref={scrolling.content}>
          {isWhole ? (
            <p className="marker meta">{texts.beginning}</p>
          ) : (
            <button type="button" className="plain older" onClick={older}>
              {texts.loadOlder}
            </button>
          )}
          {shown.map((row, index) => (
            <div key={row.key} data-row={row.key} data-at={row.at} className={`row row-${row.row}`}>
              {seen !== null && row.at > seen && (shown[index - 1]?.at ?? -1) <= seen && index > 0 && (
                <p className="unread-line">{texts.unreadLine}</p>
              )}
              <ThreadRow row={row} session={session} actions={actions} />
            </div>
          ))}
          {waiting.map((message) => (
            <OutgoingMessage key={message.id} message={message} />
          ))}
          {conversation.notices.map((notice) => (
            <p key={notice} className="marker meta" dir="auto">
              {notice}
            </p>
          ))}
          {conversation.questions.map((question) => (
            <Question key={question.id} question={question} session={session} />
          ))}
        </div>
        <div ref={scrolling.spacer} aria-hidden="true" />
      </div>
      {!scrolling.atEnd && (
        <button type="button" className="pill" onClick={() => scrolling.toEnd(true)} aria-label={texts.toEnd}>
          <Icon name="down" size={16} />
        </button>
      )}
    </div>
  );
}

/** Where the person stood when the session was opened; what is shown now is told as seen. */
function useSeen(conversation: Conversation): number | null {
  const client = useClient();
  const row = useShown((page) => page.rows.get(conversation.key));
  const last = conversation.entries.at(-1)?.pos ?? -1;
  const [before] = useState(() => (row !== undefined && row.seen >= 0 && row.seen < row.last ? row.seen : null));
  useEffect(() => {
    if (last >= 0 && document.visibilityState === "visible" && (row?.seen ?? -1) < last) client.seen(conversation.key, last);
  }, [client, conversation.key, last, row?.seen]);
  return before;
}

/** A question that was just asked here goes to the top. */
function useNewQuestion(newest: string | undefined, waiting: readonly Outgoing[], putOnTop: (key: string) => void): void {
  const before = useRef(newest);
  const said = useRef(false);
  useEffect(() => {
    if (waiting.length > 0) said.current = true;
  }, [waiting]);
  useEffect(() => {
    if (newest !== undefined && newest !== before.current && said.current) {
      said.current = false;
      putOnTop(newest);
    }
    before.current = newest;
  }, [newest, putOnTop]);
}

/** Go to a position, once it is here. */
function useWanted(
  conversation: Conversation,
  wanted: number | null,
  rows: ReturnType<typeof rowsOf>,
  reveal: (index: number) => void,
  show: (key: string) => boolean,
): void {
  const client = useClient();
  const done = useRef<number | null>(null);
  useEffect(() => {
    if (wanted === null || done.current === wanted || conversation.entries.length === 0) return;
    if (firstOf(conversation) > wanted) {
      void client.older(conversation.key, firstOf(conversation) - wanted + 50);
      return;
    }
    const index = rows.findLastIndex((row) => row.at <= wanted);
    const row = rows[index];
    if (row === undefined) return;
    if (show(row.key)) done.current = wanted;
    else reveal(index);
  });
}
