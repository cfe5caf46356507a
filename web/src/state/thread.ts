/** A conversation as rows to show, oldest first. A row keeps its key from its first word on the stream to the log. */

import type { Usage } from "../wire";
import { type Conversation, lastOf } from "./conversation";
import {
  type BlobPart,
  type LogEntry,
  type ModelReplied,
  type Part,
  type PermissionDecided,
  type ToolFinished,
  type UserSaid,
  wordsOf,
} from "./entries";
import { type Branch, branchesAfter, isOn } from "./path";

export interface ThoughtStep {
  readonly is: "thought";
  readonly key: string;
  readonly text: string;
  readonly milliseconds: number;
  readonly live: boolean;
}

export type ToolOutcome = "writing" | "waiting" | "running" | "ok" | "error" | "denied" | "interrupted";

export interface ToolStep {
  readonly is: "tool";
  readonly key: string;
  readonly call: string;
  readonly name: string;
  readonly title: string;
  readonly args: string;
  readonly outcome: ToolOutcome;
  readonly output: readonly Part[];
  readonly tail: string;
  readonly milliseconds: number;
  readonly detail: string;
  readonly form: string;
  readonly decided: PermissionDecided | null;
}

export type Step = ThoughtStep | ToolStep;

export interface UserRow {
  readonly row: "user";
  readonly key: string;
  readonly at: number;
  readonly entry: UserSaid;
  readonly queued: boolean;
  /** Other ways the conversation went from here: this message as it was before, or an answer to it that was asked for again. */
  readonly versions: readonly Branch[];
}

export interface ActivityRow {
  readonly row: "activity";
  readonly key: string;
  readonly at: number;
  readonly steps: readonly Step[];
  readonly live: boolean;
}

export interface TextRow {
  readonly row: "text";
  readonly key: string;
  readonly at: number;
  readonly text: string;
  readonly blobs: readonly BlobPart[];
  readonly live: boolean;
  readonly broken: "" | "length" | "refused" | "cancelled" | "interrupted";
}

export interface FooterRow {
  readonly row: "footer";
  readonly key: string;
  readonly at: number;
  readonly why: string;
  readonly note: string;
  readonly cause: string;
  readonly milliseconds: number;
  readonly usage: Partial<Usage> | null;
  readonly model: string;
  /** Everything the agent said in the turn, to be copied. */
  readonly words: string;
  /** The message that the turn answers, to be said again. */
  readonly question: number | null;
  /** The tool that ran when the turn broke off. */
  readonly during: string;
}

export interface MarkerRow {
  readonly row: "marker";
  readonly key: string;
  readonly at: number;
  readonly entry: LogEntry;
  readonly undone: boolean;
}

export type Row = UserRow | ActivityRow | TextRow | FooterRow | MarkerRow;

const MARKERS = new Set(["compacted", "goal_set", "goal_ended", "delivered", "command_ran", "consolidated"]);

/** Hosts of messages that no person said: a goal that goes on, a timer, the task of a subtask. */
const SAID_BY_US = new Set(["goal", "timer", "task"]);

class Rows {
  readonly rows: Row[] = [];
  private readonly tools = new Map<string, { row: number; step: number }>();
  private turnWords: string[] = [];
  private model = "";
  private question: number | null = null;
  private readonly undone: ReadonlySet<number>;

  constructor(private readonly conversation: Conversation) {
    this.undone = new Set(conversation.entries.flatMap((each) => (each.kind === "compaction_undone" ? [each.compaction] : [])));
  }

  add(entry: LogEntry): void {
    switch (entry.kind) {
      case "user_said":
        if (SAID_BY_US.has(entry.source?.host ?? "")) {
          this.rows.push({ row: "marker", key: `u${entry.pos}`, at: entry.pos, entry, undone: false });
          break;
        }
        this.question = entry.pos;
        this.rows.push({ row: "user", key: `u${entry.pos}`, at: entry.pos, entry, queued: false, versions: this.versions(entry.pos) });
        break;
      case "model_replied":
        this.reply(entry);
        break;
      case "tool_started":
        this.change(entry.call, { outcome: "running" });
        break;
      case "tool_finished":
        this.finish(entry);
        break;
      case "permission_asked":
        this.change(entry.call, { outcome: "waiting", title: entry.title, detail: entry.detail ?? "", form: entry.form ?? "text" });
        break;
      case "permission_decided":
        this.change(entry.call, { decided: entry, ...(entry.allowed ? {} : { outcome: "denied" }) });
        break;
      case "turn_ended":
        this.end(entry);
        break;
      default:
        if (MARKERS.has(entry.kind) && !(entry.kind === "consolidated" && (entry.facts ?? []).length === 0)) {
          this.rows.push({ row: "marker", key: `m${entry.pos}`, at: entry.pos, entry, undone: this.undone.has(entry.pos) });
        }
    }
  }

  private versions(at: number): readonly Branch[] {
    const { jumps, head, path } = this.conversation;
    if (jumps.length === 0) return [];
    const span = path.findIndex((each) => each.first <= at && at <= each.last);
    const before = at === path[span]?.first ? (path[span - 1]?.last ?? -1) : at - 1;
    const found = branchesAfter(before, head, jumps);
    return found.length > 1 ? found : [];
  }

  private reply(entry: ModelReplied): void {
    const base = this.conversation.aliases.get(entry.pos) ?? entry.pos;
    this.model = entry.model ?? this.model;
    const counts = { text: 0, thinking: 0 };
    const blobs = entry.parts.filter((part) => part.kind === "blob");
    for (const part of merged(entry.parts)) {
      if (part.kind === "thinking" && part.text !== "") {
        const key = `${base}.thinking${counts.thinking++}`;
        const milliseconds = entry.thought_ms ?? 0;
        this.step(entry.pos, base, { is: "thought", key, text: part.text, milliseconds, live: false });
      } else if (part.kind === "tool_call") {
        this.tools.set(part.id, this.step(entry.pos, base, written(`${base}.${part.id}`, part.id, part.name, part.arguments ?? "{}")));
      } else if (part.kind === "text" && part.text.trim() !== "") {
        this.turnWords.push(part.text);
        const broken = entry.stop === undefined || entry.stop === "ended" || entry.stop === "called" ? "" : entry.stop;
        this.rows.push({ row: "text", key: `${base}.text${counts.text++}`, at: entry.pos, text: part.text, blobs: [], live: false, broken });
      }
    }
    if (blobs.length > 0) this.rows.push({ row: "text", key: `${base}.blobs`, at: entry.pos, text: "", blobs, live: false, broken: "" });
  }

  /** Add a step to the activity that is being told, or begin one. */
  step(at: number, base: number, step: Step): { row: number; step: number } {
    const last = this.rows.at(-1);
    if (last?.row === "activity") {
      this.rows[this.rows.length - 1] = { ...last, steps: [...last.steps, step] };
      return { row: this.rows.length - 1, step: last.steps.length };
    }
    this.rows.push({ row: "activity", key: `a${base}`, at, steps: [step], live: false });
    return { row: this.rows.length - 1, step: 0 };
  }

  change(call: string, what: Partial<ToolStep>): boolean {
    const place = this.tools.get(call);
    const row = place === undefined ? undefined : this.rows[place.row];
    if (place === undefined || row?.row !== "activity") return false;
    const steps = row.steps.map((step, index) => (index === place.step && step.is === "tool" ? { ...step, ...what } : step));
    this.rows[place.row] = { ...row, steps };
    return true;
  }

  private finish(entry: ToolFinished): void {
    this.change(entry.call, { outcome: entry.outcome ?? "ok", output: entry.parts ?? [], milliseconds: entry.milliseconds ?? 0 });
  }

  private end(entry: LogEntry & { kind: "turn_ended" }): void {
    const open = this.rows.flatMap((row) => (row.row === "activity" ? row.steps : [])).filter(isUnfinished);
    for (const step of open) this.change(step.call, { outcome: "interrupted" });
    this.rows.push({
      row: "footer",
      key: `f${entry.pos}`,
      at: entry.pos,
      why: entry.why ?? "answered",
      note: entry.note ?? "",
      cause: entry.cause ?? "",
      milliseconds: entry.milliseconds ?? 0,
      usage: entry.usage ?? null,
      model: this.model,
      words: this.turnWords.join("\n\n"),
      question: this.question,
      during: open.at(-1)?.name ?? "",
    });
    this.turnWords = [];
  }
}

function isUnfinished(step: Step): step is ToolStep {
  return step.is === "tool" && (step.outcome === "running" || step.outcome === "waiting");
}

function written(key: string, call: string, name: string, args: string): ToolStep {
  return {
    is: "tool",
    key,
    call,
    name,
    title: "",
    args,
    outcome: "writing",
    output: [],
    tail: "",
    milliseconds: 0,
    detail: "",
    form: "text",
    decided: null,
  };
}

/** Parts of one kind that follow each other are one, as they are while they stream. */
function merged(parts: readonly Part[]): readonly Part[] {
  const found: Part[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last?.kind === "text" && part.kind === "text") found[found.length - 1] = { kind: "text", text: last.text + part.text };
    else if (last?.kind === "thinking" && part.kind === "thinking") {
      found[found.length - 1] = { kind: "thinking", text: last.text + part.text };
    } else found.push(part);
  }
  return found;
}

/** All rows of a conversation. */
export function rowsOf(conversation: Conversation): readonly Row[] {
  const rows = new Rows(conversation);
  for (const entry of conversation.entries) {
    if (isOn(conversation.path, entry.pos)) rows.add(entry);
  }
  addLive(rows, conversation);
  return marked(rows.rows, conversation);
}

function addLive(rows: Rows, conversation: Conversation): void {
  const base = conversation.draft?.reply ?? lastOf(conversation) + 1;
  const counts = { text: 0, thinking: 0 };
  for (const part of conversation.draft?.parts ?? []) {
    const key = `${base}.${part.kind}${counts[part.kind]++}`;
    if (part.kind === "thinking") rows.step(base, base, { is: "thought", key, text: part.text, milliseconds: 0, live: true });
    else if (part.text.trim() !== "") {
      rows.rows.push({ row: "text", key, at: base, text: part.text, blobs: [], live: true, broken: "" });
    }
  }
  for (const call of conversation.calls) {
    rows.step(base, base, { ...written(`${base}.call${call.index}`, "", call.name, ""), tail: String(call.characters) });
  }
  for (const tool of conversation.tools) {
    rows.change(tool.call, { outcome: "running", title: tool.title, detail: tool.detail, form: tool.form, tail: tool.output });
  }
}

/** Say which activity is still going on, and which messages wait. */
function marked(rows: readonly Row[], conversation: Conversation): readonly Row[] {
  const running = conversation.status?.running === true;
  return rows.map((row, index) => {
    if (row.row === "activity" && running && index === rows.length - 1) return { ...row, live: true };
    if (row.row === "user" && conversation.queued.includes(row.at)) return { ...row, queued: true };
    return row;
  });
}

export function wordsOfRow(row: Row): string {
  if (row.row === "user") return wordsOf(row.entry.parts);
  return row.row === "text" ? row.text : "";
}
