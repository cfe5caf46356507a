// Generated from the code by `make docs`: do not edit. docs/reference/frames.md says what each frame means.

export const PROTOCOL = 1;
/** Seconds without a frame after which a client connects again. */
export const PATIENCE = 20;
/** The longest frame of a client, in bytes. */
export const FRAME_BYTES = 1000000;

/** How much a client has of a reply that streams. */
export interface DraftCursor {
  /** The `run` of the `hello` under which it was sent. */
  readonly run: string;
  /** The reply, as `delta` names it. */
  readonly reply: number;
  /** How many characters (Unicode code points) of it the client has, thinking and words together. */
  readonly chars: number;
}

/** Words. */
export interface Text {
  readonly kind: "text";
  readonly text: string;
  /** How a person gave them, where they did not type them: they are not taken for their own. */
  readonly given?: "" | "pasted" | "piped" | "file";
}

/** An attachment, or text too long for a line. */
export interface Blob {
  readonly kind: "blob";
  readonly blob: string;
  readonly media_type: string;
  /** In bytes. */
  readonly size: number;
  /** The file name it came with, if any. */
  readonly name?: string;
  /** The first words of a text. */
  readonly preview?: string;
}

/** A stretch of positions, both ends included. */
export interface SpanShown {
  readonly first: number;
  readonly last: number;
}

/** A place at which the conversation went on from an earlier position. */
export interface BranchShown {
  readonly at: number;
  readonly to: number;
}

/** Tokens and money that a call to a model used. */
export interface Usage {
  readonly input_tokens?: number;
  /** The share of the input that came from the provider's cache. */
  readonly cached_tokens?: number;
  readonly output_tokens?: number;
  /** Millionths of a US dollar, where the price is known. */
  readonly cost_micros?: number;
  /** The share of the input that was written to the provider's cache. */
  readonly cache_write_tokens?: number;
  /** The share of the output that was thinking. */
  readonly reasoning_tokens?: number;
}

/** A reply that streams, as far as it is known. */
export interface DraftShown {
  /** Names it while it streams: the earliest position that the finished reply can have. The first `model_replied` at that position or behind it is that reply; entries before it say nothing about it. */
  readonly reply: number;
  /** How many characters stand before these parts: the client has them. */
  readonly offset: number;
  readonly parts: readonly DraftPart[];
}

/** A piece of a reply that streams. */
export interface DraftPart {
  readonly kind: "text" | "thinking";
  readonly text: string;
}

/** Something only a person can answer. */
export interface QuestionShown {
  readonly id: string;
  /** What a tool asks; '' where a call wants to run. */
  readonly text: string;
  readonly options: readonly string[];
  readonly tool: string;
  /** What the call would do, in one line. */
  readonly title: string;
  /** Exactly what would happen. */
  readonly detail: string;
  /** What the detail is. */
  readonly form: "text" | "diff" | "command";
  /** What the call is about, as rules match it. */
  readonly subjects: readonly string[];
  /** Whether calls like it can be allowed for longer. */
  readonly can_always: boolean;
}

/** The goal of a session: what it is, how far it is, what is left of its budgets. */
export interface GoalShown {
  /** Where it was set. */
  readonly position: number;
  readonly title: string;
  /** Its first words. */
  readonly objective: string;
  /** active, waiting, paused or blocked. */
  readonly status: string;
  /** In one word, as in the log. */
  readonly why: string;
  /** The same in words. */
  readonly reason: string;
  readonly waits_until: string | null;
  /** The goal step that runs, or the last one. */
  readonly step: number;
  /** Whether a goal step runs now. */
  readonly running: boolean;
  /** When the last goal step began. */
  readonly started: string | null;
  /** When the goal was set. */
  readonly since: string | null;
  /** The first words of the last report. */
  readonly report: string;
  readonly next_step: string;
  readonly checks: readonly string[];
  readonly items: number;
  readonly items_met: number;
  readonly verdict: string;
  readonly verdict_why: string;
  readonly tokens: number;
  readonly cost_micros: number;
  /** How long it worked. */
  readonly seconds: number;
  readonly tokens_left: number | null;
  readonly steps_left: number | null;
  readonly seconds_left: number | null;
  /** What is left of its budgets; null where there is no bound. */
  readonly cost_left_micros: number | null;
}

/** Somebody who watches a session. */
export interface Viewer {
  readonly person: string;
  readonly client: string;
}

/** A session in the list. */
export interface Row {
  readonly session: string;
  readonly title: string;
  readonly preview: string;
  readonly created: string;
  readonly updated: string;
  readonly messages: number;
  readonly turns: number;
  readonly tags: readonly string[];
  readonly archived: boolean;
  /** By this person. */
  readonly pinned: boolean;
  readonly workspace: string;
  readonly running: boolean;
  /** When the turn that runs began. */
  readonly since: string | null;
  readonly questions: number;
  readonly last: number;
  /** Up to where this person has seen it, on whatever device; -1 for nothing. */
  readonly seen: number;
  readonly due: string | null;
}

/** The session began as another one, up to a position. */
export interface Fork {
  readonly kind: "fork";
  readonly key: string;
  readonly pos: number;
}

/** The session was read from a foreign file. */
export interface Import {
  readonly kind: "import";
  readonly file: string;
  readonly format: string;
  /** What the session is called there. */
  readonly id?: string;
}

/** What a model thought before it spoke, with the proof its provider wants back. */
export interface Thinking {
  readonly kind: "thinking";
  readonly text: string;
  /** The provider's signature; valid only with the provider and model that made it. */
  readonly signature?: string;
  /** Which service sent it; empty if it has neither a signature nor a form. */
  readonly provider?: string;
  /** Which model thought it; empty as above. */
  readonly model?: string;
  /** How its service sent it, and so wants it back: the name of a field, or the mark that it stood in; "" where the service has one way only. */
  readonly form?: string;
}

/** A model asks for a tool. */
export interface ToolCall {
  readonly kind: "tool_call";
  readonly id: string;
  readonly name: string;
  /** As the model sent them: usually, not always, a JSON object. */
  readonly arguments?: string;
}

/** Where a message came from, or goes to. */
export interface Source {
  /** terminal, web, or the name of a channel. */
  readonly host: string;
  /** Who, as the host names them. */
  readonly sender?: string;
  /** Which account of ours it came to, where there are several. */
  readonly account?: string;
  /** Which conversation of the service it belongs to. */
  readonly thread?: string;
  /** The service's own id of the message. */
  readonly message?: string;
}

/** One part of a long goal. */
export interface GoalItem {
  readonly text: string;
  /** The command that shows whether it is met. */
  readonly check?: string;
}

/** How a check of a goal went. */
export interface CheckRun {
  readonly command: string;
  readonly passed: boolean;
  /** Its exit code, or why it could not be run. */
  readonly note?: string;
  /** The SHA-256 hash of what it wrote. */
  readonly output?: string;
  readonly milliseconds?: number;
}

/** A fact is remembered. */
export interface AddFact {
  readonly op: "add";
  /** The words it stands on, as they were said; '' where the person typed the fact itself. */
  readonly quote?: string;
  /** The entries that the quote stands in. */
  readonly at?: readonly number[];
  /** When that was said; without it, when the operation was written. */
  readonly said?: string | null;
  readonly section: "person" | "preference" | "correction" | "decision" | "project" | "place";
  readonly text: string;
}

/** A fact takes the place of another one, which is kept with the time until which it held. */
export interface ReplaceFact {
  readonly op: "replace";
  /** The words it stands on, as they were said; '' where the person typed the fact itself. */
  readonly quote?: string;
  /** The entries that the quote stands in. */
  readonly at?: readonly number[];
  /** When that was said; without it, when the operation was written. */
  readonly said?: string | null;
  readonly fact: string;
  readonly section: "person" | "preference" | "correction" | "decision" | "project" | "place";
  readonly text: string;
}

/** A fact holds no longer. */
export interface RetractFact {
  readonly op: "retract";
  /** The words it stands on, as they were said; '' where the person typed the fact itself. */
  readonly quote?: string;
  /** The entries that the quote stands in. */
  readonly at?: readonly number[];
  /** When that was said; without it, when the operation was written. */
  readonly said?: string | null;
  readonly fact: string;
}

/** A fact was said again. */
export interface ConfirmFact {
  readonly op: "confirm";
  /** The words it stands on, as they were said; '' where the person typed the fact itself. */
  readonly quote?: string;
  /** The entries that the quote stands in. */
  readonly at?: readonly number[];
  /** When that was said; without it, when the operation was written. */
  readonly said?: string | null;
  readonly fact: string;
}

/** An operation that was proposed and not accepted. */
export interface RefusedFact {
  /** In words for a person. */
  readonly why: string;
  /** The fact as it was proposed; '' where it may hold a secret. */
  readonly text?: string;
}

/** Where something stands that is forgotten; never the words. */
export interface ForgottenWords {
  readonly key: string;
  readonly pos: number;
}

/** The first frame of every client. */
export interface ConnectFrame {
  readonly frame: "connect";
  /** The version of the frames that the client speaks. */
  readonly protocol: number;
  /** The secret that a page got when it logged in: a browser sends its cookie to every port of a host, so the cookie alone opens nothing. */
  readonly secret?: string;
  /** What it is, for those who see who else is there: `web`, `terminal`, or the name of a program. */
  readonly client?: string;
}

/** Watch a session from a position on; to attach again, give what is there already. */
export interface AttachFrame {
  readonly frame: "attach";
  readonly session: string;
  /** The last position that the client has; -1 for none. Without it, the last entries are sent, as they are where the log does not say there what the client has: `after` of the snapshot is another one then. */
  readonly after?: number | null;
  /** How many of the last entries are sent where `after` is not given, or does not count. */
  readonly last?: number;
  /** The epoch of the snapshot that the client's entries came with. Where it is another one by now, `after` and `draft` do not count. */
  readonly epoch?: string;
  /** The `crc` of the entry at `after`: a log that was restored from a copy may say something else there. */
  readonly crc?: string;
  readonly draft?: DraftCursor | null;
  readonly id?: string;
}

/** Watch a session no longer; what runs in it goes on. */
export interface DetachFrame {
  readonly frame: "detach";
  readonly session: string;
  readonly id?: string;
}

/** Say something. It is durable when `done` comes, with its position. */
export interface SayFrame {
  readonly frame: "say";
  readonly session: string;
  /** The client's own id of the message: sent again, it is said once, and with other words it is an error. */
  readonly id: string;
  readonly parts: readonly (Text | Blob)[];
  /** While a turn runs: at its next step, or after it. */
  readonly enters?: "step" | "after";
  /** The last position that the client had when it sent this message first. A message that is sent again with it is known for ever, and without it among the newest sixty-four ids of its session. */
  readonly since?: number | null;
  /** Go on from this position: what came after it stays as another branch. Edit and regenerate are this. */
  readonly continues?: number | null;
}

/** Take back a message that waits for a turn and that the model has not heard; `done` says whether it was. */
export interface TakeBackFrame {
  readonly frame: "take_back";
  readonly session: string;
  readonly position: number;
  readonly id?: string;
}

/** Stop the turn that runs. */
export interface StopFrame {
  readonly frame: "stop";
  readonly session: string;
  readonly id?: string;
}

/** Answer a question. */
export interface AnswerFrame {
  readonly frame: "answer";
  readonly session: string;
  readonly question: string;
  readonly allowed?: boolean;
  readonly always?: "" | "session" | "workspace";
  /** The answer to a tool's question; or, with a call that is not allowed, what to do instead. */
  readonly text?: string;
  readonly id?: string;
}

/** Run a slash command in a session. */
export interface CommandFrame {
  readonly frame: "command";
  readonly session: string;
  /** As it would be typed, with the slash. */
  readonly line: string;
  readonly id?: string;
}

/** The person has seen a session up to a position, on whatever device. */
export interface SeenFrame {
  readonly frame: "seen";
  readonly session: string;
  readonly position: number;
  readonly id?: string;
}

/** Have the list of sessions told as it changes: first its newest rows, then each row that changes. */
export interface WatchListFrame {
  readonly frame: "watch_list";
  /** How many rows are sent first. */
  readonly limit?: number;
  readonly id?: string;
}

/** The answer to `connect`. */
export interface HelloFrame {
  readonly frame: "hello";
  readonly protocol: number;
  /** Of the gateway's program. */
  readonly version: string;
  /** Of this process: what a client has of a draft counts only within it. */
  readonly run: string;
  /** Who is logged in; '' is the person of the machine. */
  readonly person: string;
  /** A `beat` comes at least every so many seconds. */
  readonly heartbeat: number;
  /** After so many seconds without a frame, the client connects again. */
  readonly patience: number;
  /** The longest frame that a client may send. */
  readonly frame_bytes: number;
}

/** The connection is alive. */
export interface BeatFrame {
  readonly frame: "beat";
}

/** The gateway ends the connection. */
export interface ByeFrame {
  readonly frame: "bye";
  readonly why: "stopping" | "logged_out" | "too_slow";
  readonly hint: string;
}

/** What a frame with an id asked for was done, and is durable. */
export interface DoneFrame {
  readonly frame: "done";
  readonly id: string;
  /** Where a message stands. */
  readonly position: number | null;
  /** Whether there was anything to do: a turn to stop, a question that was open. */
  readonly changed: boolean;
}

/** What a frame asked for was not done. */
export interface ErrorFrame {
  readonly frame: "error";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** Of the frame. */
  readonly id: string;
  readonly session: string;
}

/** A session at the moment of attaching; its entries after `after` follow, then what happens. */
export interface SnapshotFrame {
  readonly frame: "snapshot";
  readonly session: string;
  /** Names the log. With another epoch than before, a client drops what it has of the session. */
  readonly epoch: string;
  /** The entries that follow begin behind it. */
  readonly after: number;
  /** The last position of the log. */
  readonly last: number;
  /** What the next entry follows. */
  readonly head: number;
  /** The stretches of the log that make up the conversation as it is now. */
  readonly path: readonly SpanShown[];
  /** Where it went back. */
  readonly branches: readonly BranchShown[];
  readonly title: string;
  readonly tags: readonly string[];
  readonly archived: boolean;
  readonly workspace: string;
  readonly model: string;
  /** The permission mode: ask, edits or plan; '' where another process has the session. */
  readonly mode: string;
  readonly messages: number;
  readonly turns: number;
  readonly usage: Usage;
  readonly running: boolean;
  /** When the turn that runs began. */
  readonly since: string | null;
  readonly draft: DraftShown | null;
  readonly questions: readonly QuestionShown[];
  /** Messages that wait for the turn that runs. */
  readonly queued: readonly number[];
  /** When the session is to be woken next. */
  readonly wakes_at: string | null;
  /** What the agent works towards; '' for nothing. */
  readonly goal: string;
  /** How far that is. */
  readonly goal_state: GoalShown | null;
}

/** An entry of the log. */
export interface EntryFrame {
  readonly frame: "entry";
  readonly session: string;
  readonly position: number;
  /** Its line, as it stands in the log. */
  readonly entry: Entry;
}

/** More of a reply that streams. */
export interface DeltaFrame {
  readonly frame: "delta";
  readonly session: string;
  readonly reply: number;
  /** How many characters of the reply stand before these. */
  readonly offset: number;
  readonly kind: "text" | "thinking";
  readonly text: string;
}

/** The model is writing a call. */
export interface CallFrame {
  readonly frame: "call";
  readonly session: string;
  readonly index: number;
  readonly name: string;
  /** How many characters of arguments there are so far. */
  readonly characters: number;
}

/** A call runs now. */
export interface ToolFrame {
  readonly frame: "tool";
  readonly session: string;
  readonly call: string;
  readonly name: string;
  readonly title: string;
  readonly detail: string;
  readonly form: string;
}

/** A line of what a running tool does. */
export interface ToolOutputFrame {
  readonly frame: "tool_output";
  readonly session: string;
  readonly call: string;
  readonly text: string;
}

/** The model is asked. */
export interface StepFrame {
  readonly frame: "step";
  readonly session: string;
  readonly step: number;
  readonly model: string;
  /** How long the request is. */
  readonly tokens: number;
  /** How long it may be. */
  readonly room: number;
  /** What is not in it, and why. */
  readonly notes: readonly string[];
}

/** The model failed and will be asked again. */
export interface RetryFrame {
  readonly frame: "retry";
  readonly session: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly seconds: number;
  readonly why: string;
}

/** Another model is asked for the rest of the turn. */
export interface FallbackFrame {
  readonly frame: "fallback";
  readonly session: string;
  readonly model: string;
  readonly why: string;
}

/** The window is being made smaller. */
export interface CompactingFrame {
  readonly frame: "compacting";
  readonly session: string;
  readonly why: string;
}

/** The window was made smaller, or could not be. */
export interface CompactionFrame {
  readonly frame: "compaction";
  readonly session: string;
  readonly stage: string;
  readonly before: number;
  readonly after: number;
  readonly failure: string;
}

/** Something a person should know. */
export interface NoticeFrame {
  readonly frame: "notice";
  readonly session: string;
  readonly text: string;
}

/** The agent begins to work. */
export interface TurnBeganFrame {
  readonly frame: "turn_began";
  readonly session: string;
  readonly model: string;
}

/** The agent has nothing more to do for now; the log says the same. */
export interface TurnEndedFrame {
  readonly frame: "turn_ended";
  readonly session: string;
  readonly why: string;
  readonly note: string;
  readonly cause: string;
  readonly milliseconds: number;
  readonly usage: Usage | null;
  /** Whether a call of the turn was not allowed. */
  readonly denied: boolean;
}

/** Whether a turn runs, since when, and what it waits for. */
export interface RunStatusFrame {
  readonly frame: "run_status";
  readonly session: string;
  readonly running: boolean;
  readonly since: string | null;
  /** How many questions wait for a person. */
  readonly questions: number;
  readonly wakes_at: string | null;
  /** The goal, if there is one; every change of it is told so. */
  readonly goal_state: GoalShown | null;
}

/** The turn waits for a person. */
export interface QuestionFrame {
  readonly frame: "question";
  readonly session: string;
  readonly question: QuestionShown;
}

/** A question needs no answer any more. The entry `permission_decided` says who decided, and where. */
export interface AnsweredFrame {
  readonly frame: "answered";
  readonly session: string;
  readonly question: string;
}

/** Who watches the session through this gateway. */
export interface PresenceFrame {
  readonly frame: "presence";
  readonly session: string;
  readonly viewers: readonly Viewer[];
}

/** Moments were left out because the client was too slow, or the session changed hands. Nothing of what a client keeps is wrong: the entries after the position follow, then the rest of the reply that streams. Calls, running tools and questions are told again, so a client drops those it shows. */
export interface ResyncFrame {
  readonly frame: "resync";
  readonly session: string;
  readonly position: number;
}

/** The session is watched no longer: it was removed, or cannot be read. */
export interface DetachedFrame {
  readonly frame: "detached";
  readonly session: string;
  readonly why: string;
}

/** What a slash command gave back, in order; each answer has its `kind`. */
export interface AnswersFrame {
  readonly frame: "answers";
  readonly session: string;
  readonly id: string;
  readonly answers: Entry;
}

/** A session of the list that is new, or not what it was. */
export interface RowFrame {
  readonly frame: "row";
  readonly row: Row;
}

/** A session is not in the list any more. */
export interface RowRemovedFrame {
  readonly frame: "row_removed";
  readonly session: string;
}

/** The person saw more of a session, or pinned it, on this device or another. */
export interface MarkFrame {
  readonly frame: "mark";
  readonly session: string;
  readonly seen: number;
  readonly pinned: boolean;
}

/** Changes of the list were left out: the rows of `watch_list` follow again. */
export interface ListResyncFrame {
  readonly frame: "list_resync";
}

/** The session began; in a fork, once more after what it shares. */
export interface OpenedEntry {
  readonly kind: "opened";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly key: string;
  /** The version of the log format. */
  readonly format?: number;
  readonly origin?: Fork | Import | null;
}

/** A person said something. */
export interface UserSaidEntry {
  readonly kind: "user_said";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly parts: readonly (Text | Thinking | ToolCall | Blob)[];
  readonly source?: Source | null;
  readonly client_id?: string | null;
  /** At once, at the next step of the running turn, or after it. */
  readonly enters?: "now" | "step" | "after";
  /** When it was said, if that is not when it was written: it came from elsewhere, or was imported. */
  readonly said_at?: string | null;
}

/** A model answered, or began to. */
export interface ModelRepliedEntry {
  readonly kind: "model_replied";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly parts: readonly (Text | Thinking | ToolCall | Blob)[];
  readonly model?: string;
  readonly usage?: Usage | null;
  /** Why it stopped; cancelled and interrupted mean that the reply is a part of one. */
  readonly stop?: "ended" | "called" | "length" | "refused" | "cancelled" | "interrupted";
  /** How long we had counted its request to be; beside `usage`, it tells how wrong we count. */
  readonly asked_tokens?: number;
  /** The last entry when it was asked: what was said after that, while it spoke, it did not hear. Without it, all. */
  readonly heard?: number | null;
  /** When it was said, if that is not when it was written: it came from elsewhere, or was imported. */
  readonly said_at?: string | null;
}

/** A tool is about to run: whatever happens now, it may have run. */
export interface ToolStartedEntry {
  readonly kind: "tool_started";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly call: string;
  readonly name: string;
  /** The rules that allowed it without asking, as they are written in settings; `mode edits` if the person accepted edits; '' if a person allowed it, or none was needed. */
  readonly rule?: string;
}

/** A tool ended, or was not run. */
export interface ToolFinishedEntry {
  readonly kind: "tool_finished";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly call: string;
  readonly name: string;
  readonly outcome?: "ok" | "error" | "denied" | "interrupted";
  readonly parts?: readonly (Text | Thinking | ToolCall | Blob)[];
  readonly milliseconds?: number;
  /** When it was said, if that is not when it was written: it came from elsewhere, or was imported. */
  readonly said_at?: string | null;
}

/** A file of the workspace is about to get other content: whatever happens now, it may have it. Both contents are named, so the file itself tells whether it happened; one that holds neither was changed by somebody else. */
export interface FileChangedEntry {
  readonly kind: "file_changed";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** From the workspace, with slashes. */
  readonly path: string;
  /** The call that changes it; absent: a rewind does. */
  readonly call?: string | null;
  /** What it holds, kept beside the log; absent if it is not there. */
  readonly before?: Blob | null;
  /** The hash of what it is to hold; absent if it is to be removed. The bytes are not kept: the file has them. */
  readonly after?: string | null;
  /** Its permission bits, or those it is made with; 0 where that is left to the system. */
  readonly mode?: number;
}

/** A hook of the user had something to say, or failed. */
export interface HookRanEntry {
  readonly kind: "hook_ran";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** The occasion, such as `before_tool`. */
  readonly on: string;
  /** What the hook is called. */
  readonly hook: string;
  /** The call that it was about. */
  readonly call?: string | null;
  readonly outcome?: "ok" | "denied" | "failed";
  /** What it told the model, why it denied, or how it failed. */
  readonly text?: string;
  /** What the tool was given instead; '' if that was not changed. */
  readonly arguments?: string;
  readonly milliseconds?: number;
}

/** A person was asked whether a call may run. It is there to be read, and grants nothing. */
export interface PermissionAskedEntry {
  readonly kind: "permission_asked";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly call: string;
  /** The id of the question: `POSITION.NUMBER`, of the reply in the log and of the call in the reply. */
  readonly question: string;
  readonly tool: string;
  readonly title: string;
  /** What the call is about, as rules match it. */
  readonly subjects?: readonly string[];
  /** What would happen: the diff, the command, the address; without likely secrets, and cut where it is long. */
  readonly detail?: string;
  /** What the detail is. */
  readonly form?: "text" | "diff" | "command";
}

/** A person decided whether a call may run. It is there to be read, and grants nothing. */
export interface PermissionDecidedEntry {
  readonly kind: "permission_decided";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly call: string;
  readonly question: string;
  readonly allowed: boolean;
  /** For how long calls like it are allowed: for this one, for the session in that process, for the workspace. */
  readonly always?: "" | "session" | "workspace";
  /** What the person said to do instead. */
  readonly text?: string;
  /** Who decided, and where; absent: not known. */
  readonly by?: Source | null;
}

/** A tool asked a person something that only they can say. */
export interface QuestionAskedEntry {
  readonly kind: "question_asked";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly call: string;
  /** The id of the question: that of the call, as in `permission_asked`, and how many it asked so far. */
  readonly question: string;
  /** Without likely secrets. */
  readonly text: string;
  /** Answers to choose from; another may be given. */
  readonly options?: readonly string[];
}

/** A person answered what a tool asked; the result of the call says what came of it. */
export interface QuestionAnsweredEntry {
  readonly kind: "question_answered";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly call: string;
  readonly question: string;
  /** Without likely secrets. */
  readonly text: string;
  /** Who answered, and where; absent: not known. */
  readonly by?: Source | null;
}

/** The agent has nothing more to do for now. */
export interface TurnEndedEntry {
  readonly kind: "turn_ended";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Interrupted means that its process died, and that the next one did not go on with it. */
  readonly why?: "answered" | "cancelled" | "failed" | "limit" | "interrupted";
  /** What failed, or which limit. */
  readonly note?: string;
  /** What is known beyond `why`, for programs: `refused` (the model would not answer), `cut` (a reply reached its greatest length), `limit` (a limit of the settings), `budget` (that of a goal) or `hook` (a hook stopped it); later versions may know more. */
  readonly cause?: string;
  /** After how many seconds the model's service asked to be asked again; 0: it did not say. */
  readonly retry_after?: number;
  readonly milliseconds?: number;
  /** What the replies of this turn used; it repeats what they say. */
  readonly usage?: Usage | null;
}

/** The agent said something unasked. */
export interface DeliveredEntry {
  readonly kind: "delivered";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly parts: readonly (Text | Thinking | ToolCall | Blob)[];
  readonly to?: Source | null;
  /** When it was said, if that is not when it was written: it came from elsewhere, or was imported. */
  readonly said_at?: string | null;
}

/** A slash command and what it showed: on the timeline, hidden from the model. */
export interface CommandRanEntry {
  readonly kind: "command_ran";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly command: string;
  readonly output?: string;
}

/** What is known about the session changed; a field that is not named stays. */
export interface DescribedEntry {
  readonly kind: "described";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly title?: string | null;
  readonly tags?: readonly string[] | null;
  readonly model?: string | null;
  readonly archived?: boolean | null;
  /** How long models may think; '' leaves it to them. */
  readonly effort?: "" | "low" | "medium" | "high" | null;
  /** The folder the conversation is about, by its identity, so that it is found again after the folder was moved. */
  readonly workspace?: string | null;
  /** Who the session belongs to; '' is the person of this machine. */
  readonly owner?: string | null;
  /** Whether facts are remembered from the session and shown in it. */
  readonly memory?: boolean | null;
  /** What a model used that was asked about the session: for a title or tags, or for a summary that was no good. */
  readonly usage?: Usage | null;
}

/** A summary stands for a stretch of entries in what the model sees. */
export interface CompactedEntry {
  readonly kind: "compacted";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly summary: string;
  readonly first: number;
  /** The entries it stands for, both included. */
  readonly last: number;
  /** From here on the model sees entries as they are. */
  readonly verbatim_from: number;
  readonly usage?: Usage | null;
}

/** Some entries are shown to the model cut; the log has them whole. */
export interface ShortenedEntry {
  readonly kind: "shortened";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly entries: readonly number[];
  /** How many characters of each are shown. */
  readonly keep: number;
  /** A window would not have held them, or they are old results that compaction shortened, which a user may undo. */
  readonly why?: "to_fit" | "old";
}

/** A summary no longer stands for anything, or what was shortened is shown whole again. */
export interface CompactionUndoneEntry {
  readonly kind: "compaction_undone";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Where the `compacted` or `shortened` entry stands. */
  readonly compaction: number;
}

/** From now on the model sees entries from a later position on. */
export interface WindowMovedEntry {
  readonly kind: "window_moved";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly start: number;
  /** Entries before it that are shown all the same: the first thing a user said, and the turn it begins in. */
  readonly keep?: readonly number[];
  /** Which bound was reached. */
  readonly why?: "tokens" | "messages";
}

/** An entry stays in what the model sees. */
export interface PinnedEntry {
  readonly kind: "pinned";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly target: number;
}

/** An entry need not stay any longer. */
export interface UnpinnedEntry {
  readonly kind: "unpinned";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly target: number;
}

/** A message that waited for a running turn was taken back before the model heard it. */
export interface TakenBackEntry {
  readonly kind: "taken_back";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Where it stands. */
  readonly message: number;
}

/** The conversation goes on from an earlier position; what came after stays as another branch. */
export interface RewoundEntry {
  readonly kind: "rewound";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly to: number;
}

/** The session is to be woken at a time. */
export interface WakeSetEntry {
  readonly kind: "wake_set";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly due: string;
  /** What for, in words. */
  readonly why?: string;
  /** What is said then; '' if only what comes next is asked for. */
  readonly text?: string;
}

/** The session was woken, or is not to be woken any more. */
export interface WakeEndedEntry {
  readonly kind: "wake_ended";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Where the `wake_set` entry stands. */
  readonly wake: number;
  readonly why?: "due" | "cancelled";
}

/** Something is to be said in the session at a time, or again and again. */
export interface ScheduleSetEntry {
  readonly kind: "schedule_set";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** What is said then; '' if only the goal is to be gone on with. */
  readonly text: string;
  /** The first slot. */
  readonly due: string;
  /** Seconds between two slots; 0 for one slot, or where `cron` says it. */
  readonly every?: number;
  /** Minute, hour, day of the month, month and weekday, as cron has them. */
  readonly cron?: string;
  /** The IANA zone whose clock the slots of `cron` go by, and in which times are shown. */
  readonly zone?: string;
  /** When it expires. */
  readonly until?: string | null;
  /** Who set it, and where; absent: not known. */
  readonly by?: Source | null;
}

/** A slot of a schedule came. It stands in one append with what is said then, so each slot counts once. */
export interface ScheduleFiredEntry {
  readonly kind: "schedule_fired";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Where the `schedule_set` entry stands. */
  readonly schedule: number;
  readonly slot: string;
  readonly outcome?: "said" | "skipped";
  /** How many seconds after the slot. */
  readonly late?: number;
  /** The next slot; absent: there is none. */
  readonly next?: string | null;
}

/** A schedule was paused, resumed, deleted, or expired. */
export interface ScheduleChangedEntry {
  readonly kind: "schedule_changed";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Where the `schedule_set` entry stands. */
  readonly schedule: number;
  readonly status: "active" | "paused" | "deleted" | "expired";
  /** The next slot, if it is active. */
  readonly next?: string | null;
  readonly by?: Source | null;
}

/** The agent was given something to work towards. */
export interface GoalSetEntry {
  readonly kind: "goal_set";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly objective: string;
  /** In a few words. */
  readonly title?: string;
  readonly token_budget?: number | null;
  /** How many goal steps it may take. */
  readonly turn_budget?: number | null;
  /** How long it may work; waiting is not counted. */
  readonly seconds_budget?: number | null;
  /** Millionths of a US dollar that it may cost. */
  readonly cost_budget?: number | null;
  /** Commands that must succeed before it counts as reached. */
  readonly checks?: readonly string[];
  readonly items?: readonly GoalItem[];
  /** Who set it, and where; absent: not known. */
  readonly by?: Source | null;
}

/** Something was added to the goal; its objective stays as it was. */
export interface GoalAmendedEntry {
  readonly kind: "goal_amended";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** What is wanted besides, or instead. */
  readonly text?: string;
  /** A command that must succeed, too. */
  readonly check?: string;
  /** A check that does not count any more. */
  readonly without?: string;
  readonly tokens?: number;
  readonly turns?: number;
  readonly seconds?: number;
  /** How much its budgets grew; the cost in millionths of a US dollar. */
  readonly cost?: number;
  /** Who amended it, and where; absent: not known. */
  readonly by?: Source | null;
}

/** The agent goes on with the goal, waits, or does not go on with it by itself any more. */
export interface GoalStatusChangedEntry {
  readonly kind: "goal_status_changed";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly status: "active" | "waiting" | "paused" | "blocked";
  /** In one word, for programs: `user`, `stopped`, `budget`, `guard`, `failed`, `crashed`, `refused`, `unjudged`, `impossible`, `needs`, `late`; later versions may know more. */
  readonly why?: string;
  /** The same for a person. */
  readonly note?: string;
  /** What it waits for. */
  readonly on?: "" | "time" | "command" | "file" | "message";
  /** The name of the command or the path of the file that it waits for. */
  readonly subject?: string;
  /** When it goes on at the latest. */
  readonly until?: string | null;
  /** Who changed it, and where; absent: the agent or Holdfast itself. */
  readonly by?: Source | null;
}

/** A step towards the goal, with what the next step needs to know. */
export interface GoalProgressedEntry {
  readonly kind: "goal_progressed";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly notes: string;
  /** What the replies of this step used; it repeats what they say. */
  readonly usage?: Usage | null;
  /** Files that were made or changed. */
  readonly files?: readonly string[];
  /** How that was checked. */
  readonly verified?: string;
  readonly next_step?: string;
}

/** It was looked at whether the goal is reached. */
export interface GoalVerifiedEntry {
  readonly kind: "goal_verified";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly verdict: "met" | "not_met" | "impossible" | "unjudged";
  readonly why?: string;
  /** What the agent named as evidence, by position. */
  readonly evidence?: readonly number[];
  readonly checks?: readonly CheckRun[];
  /** What the requests of the verification used. */
  readonly usage?: Usage | null;
}

/** The goal is over. */
export interface GoalEndedEntry {
  readonly kind: "goal_ended";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly verdict: "reached" | "given_up" | "stopped" | "budget";
  readonly notes?: string;
}

/** What is remembered changed: from all entries up to a position facts were drawn, or somebody asked for one. */
export interface ConsolidatedEntry {
  readonly kind: "consolidated";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** The last entry that was looked at; consolidation goes on behind it. */
  readonly upto: number;
  /** What was done, in one line; a summary, so it may be wrong. */
  readonly day?: string;
  readonly facts?: readonly (AddFact | ReplaceFact | RetractFact | ConfirmFact)[];
  readonly made?: "consolidated" | "remembered" | "edited";
  /** What the model proposed besides, and why it was not accepted. */
  readonly refused?: readonly RefusedFact[];
  readonly usage?: Usage | null;
}

/** Something is not remembered any more, and must not come back; it does not say what. */
export interface ForgottenEntry {
  readonly kind: "forgotten";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  readonly facts?: readonly string[];
  /** Where it was said: models are shown `[forgotten]` there. */
  readonly words?: readonly ForgottenWords[];
  readonly salt?: string;
  /** Of the facts and the words, keyed by the salt: what was said before is known by them in a copy. */
  readonly hashes?: readonly string[];
}

/** The model is told of these facts from now on. */
export interface MemoryShownEntry {
  readonly kind: "memory_shown";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** All that the system text says; absent where that stays, and the model is told of changes behind it. */
  readonly core?: readonly string[] | null;
  /** How many facts had no room there. */
  readonly more?: number;
  readonly added?: readonly string[];
  readonly ended?: readonly string[];
}

/** The folded state so far, so that opening reads only what came after. */
export interface CheckpointedEntry {
  readonly kind: "checkpointed";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** Which version of the fold wrote it; another version folds from the start. */
  readonly format: number;
  readonly state: Entry;
}

/** A piece of a reply that is still streaming; only ever in a draft. */
export interface DraftedEntry {
  readonly kind: "drafted";
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
  /** The earliest position the finished reply can have. */
  readonly reply: number;
  readonly text?: string;
  readonly thinking?: string;
  /** As in `model_replied`, for the reply that this becomes if it is never finished. */
  readonly heard?: number | null;
}

/** A line of a kind that is not known here. */
export interface UnknownEntry {
  readonly kind: string;
  readonly v: number;
  readonly pos: number;
  readonly at: string;
  readonly crc: string;
}

export type FromClient =
  | ConnectFrame
  | AttachFrame
  | DetachFrame
  | SayFrame
  | TakeBackFrame
  | StopFrame
  | AnswerFrame
  | CommandFrame
  | SeenFrame
  | WatchListFrame;

export type FromServer =
  | HelloFrame
  | BeatFrame
  | ByeFrame
  | DoneFrame
  | ErrorFrame
  | SnapshotFrame
  | EntryFrame
  | DeltaFrame
  | CallFrame
  | ToolFrame
  | ToolOutputFrame
  | StepFrame
  | RetryFrame
  | FallbackFrame
  | CompactingFrame
  | CompactionFrame
  | NoticeFrame
  | TurnBeganFrame
  | TurnEndedFrame
  | RunStatusFrame
  | QuestionFrame
  | AnsweredFrame
  | PresenceFrame
  | ResyncFrame
  | DetachedFrame
  | AnswersFrame
  | RowFrame
  | RowRemovedFrame
  | MarkFrame
  | ListResyncFrame;

export type KnownEntry =
  | OpenedEntry
  | UserSaidEntry
  | ModelRepliedEntry
  | ToolStartedEntry
  | ToolFinishedEntry
  | FileChangedEntry
  | HookRanEntry
  | PermissionAskedEntry
  | PermissionDecidedEntry
  | QuestionAskedEntry
  | QuestionAnsweredEntry
  | TurnEndedEntry
  | DeliveredEntry
  | CommandRanEntry
  | DescribedEntry
  | CompactedEntry
  | ShortenedEntry
  | CompactionUndoneEntry
  | WindowMovedEntry
  | PinnedEntry
  | UnpinnedEntry
  | TakenBackEntry
  | RewoundEntry
  | WakeSetEntry
  | WakeEndedEntry
  | ScheduleSetEntry
  | ScheduleFiredEntry
  | ScheduleChangedEntry
  | GoalSetEntry
  | GoalAmendedEntry
  | GoalStatusChangedEntry
  | GoalProgressedEntry
  | GoalVerifiedEntry
  | GoalEndedEntry
  | ConsolidatedEntry
  | ForgottenEntry
  | MemoryShownEntry
  | CheckpointedEntry
  | DraftedEntry;

/** The kinds of entries that are known here. */
export const KINDS = [
  "opened",
  "user_said",
  "model_replied",
  "tool_started",
  "tool_finished",
  "file_changed",
  "hook_ran",
  "permission_asked",
  "permission_decided",
  "question_asked",
  "question_answered",
  "turn_ended",
  "delivered",
  "command_ran",
  "described",
  "compacted",
  "shortened",
  "compaction_undone",
  "window_moved",
  "pinned",
  "unpinned",
  "taken_back",
  "rewound",
  "wake_set",
  "wake_ended",
  "schedule_set",
  "schedule_fired",
  "schedule_changed",
  "goal_set",
  "goal_amended",
  "goal_status_changed",
  "goal_progressed",
  "goal_verified",
  "goal_ended",
  "consolidated",
  "forgotten",
  "memory_shown",
  "checkpointed",
  "drafted",
] as const;

/** A line of a log; its `kind` may be one that this version does not know. */
export type Entry = KnownEntry | UnknownEntry;
