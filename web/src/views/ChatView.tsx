/** One open conversation: its head, its thread, and where one writes. */

import { useMemo, useState } from "react";
import { type Conversation, lastOf } from "../state/conversation";
import type { UserRow } from "../state/thread";
import { wordsOf } from "../state/entries";
import { Announcer } from "./Announcer";
import { Answers, type CommandAnswer } from "./Answers";
import { Composer } from "./Composer";
import { useClient, useShown, useTexts } from "./context";
import { FindBar } from "./FindBar";
import type { MessageActions } from "./MessageActions";
import { GoalStrip } from "./GoalStrip";
import { Icon } from "./icons";
import { RunStrip } from "./RunStrip";
import { SessionMenu } from "./SessionMenu";
import { Thread } from "./Thread";

interface ChatViewProps {
  readonly session: string;
  readonly conversation: Conversation;
  readonly wanted: number | null;
  readonly prefill: string;
  readonly notify: boolean;
  readonly finding: boolean;
  readonly onFound: () => void;
  readonly onOpen: (session: string, at?: number) => void;
}

export function ChatView({ session, conversation, wanted, prefill, notify, finding, onFound, onOpen }: ChatViewProps) {
  const texts = useTexts();
  const client = useClient();
  const [editing, setEditing] = useState<UserRow | null>(null);
  const [menu, setMenu] = useState(false);
  const [given, setGiven] = useState({ line: "", after: -1, answers: [] as readonly CommandAnswer[] });
  // What the log has of a command is in the thread already.
  const isLogged = conversation.entries.some((each) => each.pos > given.after && each.kind === "command_ran" && each.command === given.line);
  const answers = isLogged ? [] : given.answers;
  const run = (line: string) => {
    const after = lastOf(conversation);
    void client.command(session, line).then((told) => {
      const found = told as readonly CommandAnswer[];
      setGiven({ line, after, answers: found });
      const next = found.find((each) => each.kind === "switch_to");
      if (next !== undefined) onOpen(next.key, next.at ?? undefined);
    });
  };
  const goal = conversation.status?.goal_state;
  const row = useShown((page) => page.rows.get(session));
  const title = row?.title || row?.preview || (conversation.meta?.title ?? "");
  const actions = useMemo<MessageActions>(
    () => ({
      edit: setEditing,
      regenerate: (question) => {
        const entry = client.store.get().conversations.get(session)?.entries.find((each) => each.pos === question);
        if (entry?.kind === "user_said") void client.say({ session, text: wordsOf(entry.parts), continues: question - 1 });
      },
      fork: (at) => void client.fork(session, at).then((key) => onOpen(key)),
      rewind: (at) => void client.rewind(session, at),
      link: (at) => void navigator.clipboard.writeText(`${location.origin}/#/s/${encodeURIComponent(session)}@${at}`),
      takeBack: (at) => client.takeBackQueued(session, at),
      goOn: () => void client.command(session, "/continue"),
    }),
    [client, session, onOpen],
  );
  return (
    <main className="chat" aria-label={title || texts.noTitle}>
      <header className="chat-head">
        <h1 dir="auto">{title || texts.noTitle}</h1>
        <button type="button" className="quiet" aria-label={texts.session.more} title={texts.session.more} onClick={() => setMenu(true)}>
          <Icon name="more" />
        </button>
      </header>
      {menu && <SessionMenu session={session} onClose={() => setMenu(false)} onGone={() => onOpen("")} />}
      {finding && <FindBar conversation={conversation} onClose={onFound} onOpen={(at) => onOpen(session, at)} />}
      {conversation.link === "gone" ? (
        <p className="empty">{conversation.why || texts.gone}</p>
      ) : (
        <Thread key={session} conversation={conversation} actions={actions} wanted={wanted} />
      )}
      <div className="below">
        {goal != null && <GoalStrip goal={goal} onRun={run} />}
        <RunStrip conversation={conversation} />
        {answers.some((each) => each.kind !== "switch_to") && <Answers answers={answers} onClose={() => setGiven({ ...given, answers: [] })} onRun={run} />}
        <Composer
          key={session}
          session={session}
          running={conversation.status?.running === true}
          editing={editing}
          onEdited={() => setEditing(null)}
          onCommand={run}
          prefill={prefill}
        />
      </div>
      <Announcer conversation={conversation} notify={notify} />
    </main>
  );
}
