/** Frames as a gateway sends them, for the tests of the reducer. */

import type { EntryFrame, FromServer, SnapshotFrame } from "../src/wire";

export const SESSION = "talk";
const NO_USAGE = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost_micros: 0 };

export function entry(position: number, kind: string, fields: object = {}): EntryFrame {
  const at = "2026-11-20T08:00:00.000000Z";
  return { frame: "entry", session: SESSION, position, entry: { v: 1, pos: position, at, kind, ...fields, crc: `c${position}` } };
}

export function said(position: number, text: string): EntryFrame {
  return entry(position, "user_said", { parts: [{ kind: "text", text }] });
}

export function replied(position: number, text: string): EntryFrame {
  return entry(position, "model_replied", { parts: [{ kind: "text", text }], model: "small" });
}

export function delta(reply: number, offset: number, text: string, kind: "text" | "thinking" = "text"): FromServer {
  return { frame: "delta", session: SESSION, reply, offset, kind, text };
}

export function snapshot(given: Partial<SnapshotFrame>): SnapshotFrame {
  return {
    frame: "snapshot",
    session: SESSION,
    epoch: "e1",
    after: -1,
    last: -1,
    head: -1,
    path: [],
    branches: [],
    title: "",
    tags: [],
    archived: false,
    workspace: "",
    model: "small",
    mode: "ask",
    messages: 0,
    turns: 0,
    usage: NO_USAGE,
    running: false,
    since: null,
    draft: null,
    questions: [],
    queued: [],
    wakes_at: null,
    goal: "",
    goal_state: null,
    ...given,
  };
}
