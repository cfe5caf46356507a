/** Everything the page shows, as one value, and how it changes. */

import type { EntryFrame, FromServer, HelloFrame, Row, SayFrame } from "../wire";
import { advance, type Conversation, unlinked, unseen, withOlder } from "./conversation";

/** Something typed that has no position in the log yet. */
export interface Outgoing {
  readonly id: string;
  readonly session: string;
  readonly parts: SayFrame["parts"];
  readonly enters: "step" | "after";
  readonly continues: number | null;
  /** Whether the session is begun with it. */
  readonly begins: boolean;
  readonly typed: number;
  /** The last position that the page had when it was typed; older ones do not say. */
  readonly since?: number | null;
  readonly failure: string;
}

export type Connection =
  | { readonly is: "connecting"; readonly since: number }
  | { readonly is: "open" }
  | { readonly is: "lost"; readonly since: number }
  | { readonly is: "signed_out"; readonly why: string };

export interface Page {
  readonly connection: Connection;
  readonly hello: HelloFrame | null;
  /** When the connection came back after it was lost, to be told once. */
  readonly resumed: number | null;
  readonly rows: ReadonlyMap<string, Row>;
  readonly listed: boolean;
  readonly conversations: ReadonlyMap<string, Conversation>;
  readonly outbox: readonly Outgoing[];
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly id: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly session: string;
}

export type Action =
  | { readonly does: "frame"; readonly frame: FromServer }
  | { readonly does: "frames"; readonly frames: readonly FromServer[] }
  | { readonly does: "connecting"; readonly now: number }
  | { readonly does: "lost"; readonly now: number }
  | { readonly does: "signed_out"; readonly why: string }
  | { readonly does: "resumed"; readonly now: number }
  | { readonly does: "open"; readonly session: string }
  | { readonly does: "close"; readonly session: string }
  | { readonly does: "older"; readonly session: string; readonly frames: readonly EntryFrame[] }
  | { readonly does: "rows"; readonly rows: readonly Row[] }
  | { readonly does: "outbox"; readonly outbox: readonly Outgoing[] }
  | { readonly does: "failed"; readonly failure: Omit<Failure, "id"> }
  | { readonly does: "dismiss"; readonly id: number };

export const EMPTY: Page = {
  connection: { is: "connecting", since: 0 },
  hello: null,
  resumed: null,
  rows: new Map(),
  listed: false,
  conversations: new Map(),
  outbox: [],
  failures: [],
};

const FAILURES_KEPT = 4;
/** So many sessions are watched; a gateway refuses twice as many. */
const WATCHED = 32;

export function reduce(page: Page, action: Action): Page {
  switch (action.does) {
    case "frame":
      return onFrame(page, action.frame);
    case "frames":
      return action.frames.reduce(onFrame, page);
    case "connecting":
      return page.connection.is === "lost" ? page : { ...page, connection: { is: "connecting", since: action.now } };
    case "lost":
      return {
        ...page,
        connection: page.connection.is === "lost" ? page.connection : { is: "lost", since: action.now },
        conversations: new Map([...page.conversations].map(([key, each]) => [key, unlinked(each)])),
      };
    case "signed_out":
      return { ...EMPTY, connection: { is: "signed_out", why: action.why } };
    case "resumed":
      return { ...page, resumed: action.now };
    case "open":
      return opened(page, action.session);
    case "close":
      return { ...page, conversations: new Map([...page.conversations].filter(([key]) => key !== action.session)) };
    case "older":
      return changed(page, action.session, (was) => withOlder(was, action.frames));
    case "rows":
      return { ...page, listed: true, rows: new Map([...page.rows, ...action.rows.map((row) => [row.session, row] as const)]) };
    case "outbox":
      return { ...page, outbox: action.outbox };
    case "failed":
      return withFailure(page, action.failure);
    case "dismiss":
      return { ...page, failures: page.failures.filter((each) => each.id !== action.id) };
    default:
      return action satisfies never;
  }
}

function onFrame(page: Page, frame: FromServer): Page {
  switch (frame.frame) {
    case "hello":
      return { ...page, hello: frame, connection: { is: "open" } };
    case "row":
      return { ...page, listed: true, rows: new Map(page.rows).set(frame.row.session, frame.row) };
    case "row_removed":
      return withoutRow(page, frame.session);
    case "error": // one that was deleted while this page had no connection is told of when it is asked for
      return withFailure(frame.code === "no_session" ? withoutRow(page, frame.session) : page, frame);
    case "beat":
    case "bye":
    case "done":
    case "answers":
    case "list_resync":
      return page;
    default:
      return "session" in frame ? changed(page, frame.session, (was) => advance(was, frame)) : page;
  }
}

/** The page with a session as the one that was opened last. */
function opened(page: Page, session: string): Page {
  const conversations = new Map(page.conversations);
  conversations.delete(session);
  return { ...page, conversations: conversations.set(session, page.conversations.get(session) ?? unseen(session)) };
}

/** Sessions to watch no longer: those that were opened longest ago, and in which nothing is about to be said. */
export function tooMany({ conversations, outbox }: Page): readonly string[] {
  const over = conversations.size - WATCHED;
  return over <= 0 ? [] : [...conversations.keys()].filter((key) => !outbox.some((each) => each.session === key)).slice(0, over);
}

function changed(page: Page, session: string, change: (was: Conversation) => Conversation): Page {
  const was = page.conversations.get(session);
  if (was === undefined) return page; // nobody shows it any more
  const now = change(was);
  return now === was ? page : withConversation(page, now);
}

function withConversation(page: Page, conversation: Conversation): Page {
  return { ...page, conversations: new Map(page.conversations).set(conversation.key, conversation) };
}

function withoutRow(page: Page, session: string): Page {
  return { ...page, rows: new Map([...page.rows].filter(([key]) => key !== session)) };
}

function withFailure(page: Page, failure: Omit<Failure, "id">): Page {
  const id = (page.failures.at(-1)?.id ?? 0) + 1;
  const kept = { id, code: failure.code, message: failure.message, hint: failure.hint, session: failure.session };
  return { ...page, failures: [...page.failures, kept].slice(-FAILURES_KEPT) };
}
