/** One session, made from its frames: a pure function of what the gateway sent, whatever the connection did meanwhile. */

import type {
  CallFrame,
  EntryFrame,
  FromServer,
  QuestionShown,
  RunStatusFrame,
  SnapshotFrame,
  StepFrame,
  ToolFrame,
  Viewer,
} from "../wire";
import { type Draft, grow, joined } from "./draft";
import { asEntry, type LogEntry } from "./entries";
import { type Jump, pathTo, type Span } from "./path";

export interface RunningTool {
  readonly call: string;
  readonly name: string;
  readonly title: string;
  readonly detail: string;
  readonly form: string;
  readonly output: string;
}

export interface Conversation {
  readonly key: string;
  readonly epoch: string;
  /** Whether frames come: `stale` means that something is missing and the session is to be attached again. */
  readonly link: "waiting" | "live" | "stale" | "gone";
  readonly why: string;
  readonly meta: SnapshotFrame | null;
  /** Entries by position, without gaps, from `first` to `last`. */
  readonly entries: readonly LogEntry[];
  readonly crc: string;
  readonly head: number;
  readonly jumps: readonly Jump[];
  readonly path: readonly Span[];
  readonly draft: Draft | null;
  /** For a reply that was watched while it streamed: the position it was known by then, so that its view stays. */
  readonly aliases: ReadonlyMap<number, number>;
  readonly calls: readonly CallFrame[];
  readonly tools: readonly RunningTool[];
  readonly questions: readonly QuestionShown[];
  readonly queued: readonly number[];
  readonly step: StepFrame | null;
  readonly status: RunStatusFrame | null;
  readonly notices: readonly string[];
  readonly viewers: readonly Viewer[];
}

const OUTPUT_KEPT = 4_000;
const NOTICES_KEPT = 5;

export function unseen(key: string): Conversation {
  return {
    key,
    epoch: "",
    link: "waiting",
    why: "",
    meta: null,
    entries: [],
    crc: "",
    head: -1,
    jumps: [],
    path: [],
    draft: null,
    aliases: new Map(),
    calls: [],
    tools: [],
    questions: [],
    queued: [],
    step: null,
    status: null,
    notices: [],
    viewers: [],
  };
}

export function firstOf(conversation: Conversation): number {
  return conversation.entries[0]?.pos ?? 0;
}

export function lastOf(conversation: Conversation): number {
  return conversation.entries.at(-1)?.pos ?? -1;
}

/** The connection is lost: what only lives in it goes, and everything of the log and the draft stays. */
export function unlinked(conversation: Conversation): Conversation {
  return conversation.link === "gone" ? conversation : { ...conversation, link: "waiting", viewers: [] };
}

/** Earlier entries, read on request; they count only where they join what is there. */
export function withOlder(conversation: Conversation, frames: readonly EntryFrame[]): Conversation {
  const older = frames.map((frame) => asEntry(frame.entry, frame.position)).filter((entry) => entry.pos < firstOf(conversation));
  const joins = older.length > 0 && older.at(-1)?.pos === firstOf(conversation) - 1;
  return joins ? { ...conversation, entries: [...older, ...conversation.entries] } : conversation;
}

/** A conversation after one more frame of the gateway. */
export function advance(was: Conversation, frame: FromServer): Conversation {
  switch (frame.frame) {
    case "snapshot":
      return attached(was, frame);
    case "entry":
      return withEntry(was, frame);
    case "delta": {
      const grown = grow(was.draft, frame);
      return grown.gap ? { ...was, link: "stale" } : { ...was, draft: grown.draft };
    }
    case "call":
      return { ...was, calls: [...was.calls.filter((call) => call.index !== frame.index), frame] };
    case "tool":
      return { ...was, calls: [], tools: [...was.tools.filter((tool) => tool.call !== frame.call), begun(frame)] };
    case "tool_output":
      return { ...was, tools: was.tools.map((tool) => (tool.call === frame.call ? told(tool, frame.text) : tool)) };
    case "step":
      return { ...was, step: frame, calls: [] };
    case "question":
      return { ...was, questions: [...was.questions.filter((each) => each.id !== frame.question.id), frame.question] };
    case "answered":
      return { ...was, questions: was.questions.filter((each) => each.id !== frame.question) };
    case "run_status":
      return { ...was, status: frame };
    case "turn_began":
      return { ...was, notices: [], status: running(was, true) };
    case "turn_ended":
      return { ...was, calls: [], tools: [], questions: [], queued: [], status: running(was, false) };
    case "notice":
      return { ...was, notices: [...was.notices, frame.text].slice(-NOTICES_KEPT) };
    case "retry":
    case "fallback":
      return { ...was, notices: [...was.notices, frame.why].slice(-NOTICES_KEPT) };
    case "presence":
      return { ...was, viewers: frame.viewers };
    case "resync":
      return { ...upTo(was, frame.position), calls: [], tools: [], questions: [] };
    case "detached":
      return { ...was, link: "gone", why: frame.why };
    default:
      return was;
  }
}

function attached(was: Conversation, frame: SnapshotFrame): Conversation {
  // Where nothing came since it was asked for, another position says that the log has something else there.
  const asked = was.link === "stale" ? lastOf(was) >= frame.after && firstOf(was) <= frame.after + 1 : lastOf(was) === frame.after;
  const same = was.epoch === frame.epoch && was.meta !== null && asked;
  const kept = same ? was : unseen(frame.session);
  // A reply that ended meanwhile is among the entries that follow: until it comes, its draft is shown.
  const ended = frame.draft === null && kept.draft !== null && frame.last >= kept.draft.reply;
  const { draft, gap } = ended ? { draft: kept.draft, gap: false } : joined(kept.draft, frame.draft);
  return {
    ...kept,
    epoch: frame.epoch,
    link: gap ? "stale" : "live",
    why: "",
    meta: frame,
    head: frame.head,
    jumps: frame.branches,
    path: pathTo(frame.head, frame.branches),
    draft,
    calls: [],
    tools: [],
    questions: frame.questions,
    queued: frame.queued,
    status: {
      frame: "run_status",
      session: frame.session,
      running: frame.running,
      since: frame.since,
      questions: frame.questions.length,
      wakes_at: frame.wakes_at,
      goal_state: frame.goal_state,
    },
  };
}

function withEntry(was: Conversation, frame: EntryFrame): Conversation {
  const last = lastOf(was);
  if (was.entries.length > 0 && frame.position <= last) return was; // it came with an earlier attachment
  const missing = was.entries.length > 0 ? frame.position > last + 1 : frame.position > (was.meta?.after ?? -1) + 1;
  if (missing) return { ...was, link: "stale" };
  const entry = asEntry(frame.entry, frame.position);
  const next = { ...was, entries: [...was.entries, entry], crc: crcOf(frame.entry) };
  return settled(frame.position <= was.head ? next : moved(next, entry), entry);
}

function moved(was: Conversation, entry: LogEntry): Conversation {
  const jumps = entry.kind === "rewound" ? [...was.jumps, { at: entry.pos, to: entry.to }] : was.jumps;
  const last = was.path.at(-1);
  const grows = entry.kind !== "rewound" && last !== undefined && last.last === entry.pos - 1;
  const path = grows ? [...was.path.slice(0, -1), { first: last.first, last: entry.pos }] : pathTo(entry.pos, jumps);
  return { ...was, head: entry.pos, jumps, path };
}

/** The conversation without what stands behind a position: a process that lost the session wrote it, and it does not count. */
function upTo(was: Conversation, position: number): Conversation {
  if (lastOf(was) <= position) return was;
  const entries = was.entries.filter((entry) => entry.pos <= position);
  const jumps = was.jumps.filter((jump) => jump.at <= position);
  const head = Math.min(was.head, position);
  return { ...was, entries, jumps, head, path: pathTo(head, jumps), draft: null };
}

/** What an entry makes of the things that only lasted until it came. */
function settled(was: Conversation, entry: LogEntry): Conversation {
  switch (entry.kind) {
    case "model_replied": {
      if (was.draft === null || entry.pos < was.draft.reply) return { ...was, calls: [] };
      const aliases = entry.pos === was.draft.reply ? was.aliases : new Map(was.aliases).set(entry.pos, was.draft.reply);
      return { ...was, draft: null, aliases, calls: [] };
    }
    case "tool_finished":
      return { ...was, tools: was.tools.filter((tool) => tool.call !== entry.call) };
    case "permission_decided":
      return { ...was, questions: was.questions.filter((each) => each.id !== entry.question) };
    case "user_said":
      return entry.enters === "after" && was.status?.running === true ? { ...was, queued: [...was.queued, entry.pos] } : was;
    case "turn_ended":
      return { ...was, draft: null, calls: [], tools: [], questions: [], status: running(was, false) };
    default:
      return was;
  }
}

function begun(frame: ToolFrame): RunningTool {
  return { call: frame.call, name: frame.name, title: frame.title, detail: frame.detail, form: frame.form, output: "" };
}

function told(tool: RunningTool, text: string): RunningTool {
  const output = tool.output === "" ? text : `${tool.output}\n${text}`;
  return { ...tool, output: output.slice(-OUTPUT_KEPT) };
}

function running(was: Conversation, now: boolean): RunStatusFrame {
  const since = now ? (was.status?.since ?? null) : null;
  return { frame: "run_status", session: was.key, running: now, since, questions: 0, wakes_at: was.status?.wakes_at ?? null, goal_state: was.status?.goal_state ?? null };
}

function crcOf(raw: unknown): string {
  const crc = (raw as { crc?: unknown } | null)?.crc;
  return typeof crc === "string" ? crc : "";
}
