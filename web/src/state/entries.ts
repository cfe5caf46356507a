/** The lines of the log, as `entry` frames carry them. docs/reference/log-format.md says what each field means. */

import type { Usage } from "../wire";

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool_call"; readonly id: string; readonly name: string; readonly arguments?: string }
  | BlobPart;

export interface BlobPart {
  readonly kind: "blob";
  readonly blob: string;
  readonly media_type: string;
  readonly size: number;
  readonly name?: string;
  readonly preview?: string;
}

export interface SourceSaid {
  readonly host?: string;
  readonly sender?: string;
}

interface Line {
  readonly pos: number;
  readonly at: string;
  readonly said_at?: string;
  readonly crc?: string;
}

export interface UserSaid extends Line {
  readonly kind: "user_said";
  readonly parts: readonly Part[];
  readonly source?: SourceSaid;
  readonly client_id?: string;
  readonly enters?: "now" | "step" | "after";
}

export interface ModelReplied extends Line {
  readonly kind: "model_replied";
  readonly parts: readonly Part[];
  readonly model?: string;
  readonly usage?: Partial<Usage>;
  readonly stop?: "ended" | "called" | "length" | "refused" | "cancelled" | "interrupted";
  readonly thought_ms?: number;
}

export interface ToolStarted extends Line {
  readonly kind: "tool_started";
  readonly call: string;
  readonly name: string;
  readonly rule?: string;
}

export interface ToolFinished extends Line {
  readonly kind: "tool_finished";
  readonly call: string;
  readonly name: string;
  readonly outcome?: "ok" | "error" | "denied" | "interrupted";
  readonly parts?: readonly Part[];
  readonly milliseconds?: number;
}

export interface PermissionAsked extends Line {
  readonly kind: "permission_asked";
  readonly call: string;
  readonly question: string;
  readonly tool: string;
  readonly title: string;
  readonly detail?: string;
  readonly form?: "text" | "diff" | "command";
}

export interface PermissionDecided extends Line {
  readonly kind: "permission_decided";
  readonly call: string;
  readonly question: string;
  readonly allowed: boolean;
  readonly always?: "session" | "workspace";
  readonly text?: string;
  readonly by?: SourceSaid;
}

export interface TurnEnded extends Line {
  readonly kind: "turn_ended";
  readonly why?: "answered" | "cancelled" | "failed" | "limit" | "interrupted";
  readonly note?: string;
  readonly cause?: string;
  readonly milliseconds?: number;
  readonly usage?: Partial<Usage>;
}

export interface Delivered extends Line {
  readonly kind: "delivered";
  readonly parts: readonly Part[];
}

export interface CommandRan extends Line {
  readonly kind: "command_ran";
  readonly command: string;
  readonly output?: string;
}

export interface Compacted extends Line {
  readonly kind: "compacted";
  readonly summary: string;
  readonly first: number;
  readonly last: number;
}

export interface CompactionUndone extends Line {
  readonly kind: "compaction_undone";
  readonly compaction: number;
}

export interface Rewound extends Line {
  readonly kind: "rewound";
  readonly to: number;
}

export interface GoalSet extends Line {
  readonly kind: "goal_set";
  readonly objective: string;
}

export interface GoalEnded extends Line {
  readonly kind: "goal_ended";
  readonly verdict: string;
  readonly notes?: string;
}

export interface FileChanged extends Line {
  readonly kind: "file_changed";
  readonly path: string;
  readonly call?: string;
}

export interface Consolidated extends Line {
  readonly kind: "consolidated";
  readonly facts?: readonly { readonly op: string; readonly text?: string }[];
}

/** A kind that shows nothing here, or that a later version writes. */
export interface OtherEntry extends Line {
  readonly kind: "";
  readonly name: string;
}

export type LogEntry =
  | UserSaid
  | ModelReplied
  | ToolStarted
  | ToolFinished
  | PermissionAsked
  | PermissionDecided
  | TurnEnded
  | Delivered
  | CommandRan
  | Compacted
  | CompactionUndone
  | Rewound
  | GoalSet
  | GoalEnded
  | FileChanged
  | Consolidated
  | OtherEntry;

const KNOWN = new Set([
  "user_said",
  "model_replied",
  "tool_started",
  "tool_finished",
  "permission_asked",
  "permission_decided",
  "turn_ended",
  "delivered",
  "command_ran",
  "compacted",
  "compaction_undone",
  "rewound",
  "goal_set",
  "goal_ended",
  "file_changed",
  "consolidated",
]);

/** A line as it came, with what it is. Nothing in it is trusted beyond its shape: all of it is shown as text. */
export function asEntry(raw: unknown, position: number): LogEntry {
  const line = (typeof raw === "object" && raw !== null ? raw : {}) as { kind?: unknown; at?: unknown; parts?: unknown };
  const kind = typeof line.kind === "string" ? line.kind : "";
  const at = typeof line.at === "string" ? line.at : "";
  const partsFit = line.parts === undefined || Array.isArray(line.parts);
  if (KNOWN.has(kind) && partsFit) return { ...line, pos: position, at } as unknown as LogEntry;
  return { kind: "", name: kind, pos: position, at };
}

/** The words of parts, without thoughts and calls. */
export function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
