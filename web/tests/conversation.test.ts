import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advance, type Conversation, lastOf, unlinked, unseen, withOlder } from "../src/state/conversation";
import { rowsOf } from "../src/state/thread";
import type { FromServer } from "../src/wire";
import { delta, entry, replied, said, SESSION, snapshot } from "./frames";

function after(frames: readonly FromServer[], from: Conversation = unseen(SESSION)): Conversation {
  return frames.reduce(advance, from);
}

/** A log, and what a gateway sends of it: a turn with a thought, a call, an emoji and a second turn on another branch. */
const LOG = [
  entry(0, "opened", { key: SESSION }),
  said(1, "When is high tide?"),
  entry(2, "model_replied", { parts: [{ kind: "thinking", text: "A table 🌊" }, { kind: "tool_call", id: "c", name: "look" }], stop: "called" }),
  entry(3, "tool_started", { call: "c", name: "look" }),
  entry(4, "tool_finished", { call: "c", name: "look", parts: [{ kind: "text", text: "14:10" }], milliseconds: 12 }),
  replied(5, "At 14:10 🌊."),
  entry(6, "turn_ended", { milliseconds: 900 }),
  said(7, "And on Sunday?"),
  replied(8, "At noon."),
  entry(9, "turn_ended"),
  entry(10, "rewound", { to: 6 }),
  said(11, "And on Monday?"),
  replied(12, "At one."),
  entry(13, "turn_ended"),
];

const BRANCHES = [{ at: 10, to: 6 }];

/** What is sent for an attachment after a position, up to another one. */
function attachment(position: number, upto: number): FromServer[] {
  const branches = BRANCHES.filter((each) => each.at <= upto);
  return [snapshot({ after: position, last: upto, head: upto, branches }), ...LOG.slice(position + 1, upto + 1)];
}

const WHOLE = after(attachment(-1, 13));

describe("a conversation", () => {
  it("is what the log says on its branch", () => {
    const words = rowsOf(WHOLE).flatMap((row) => (row.row === "text" ? [row.text] : row.row === "user" ? [String(row.at)] : []));
    expect(words).toEqual(["1", "At 14:10 🌊.", "11", "At one."]);
  });

  it("is the same however often the connection was cut, and whatever came twice", () => {
    const cuts = fc.array(fc.nat({ max: 13 }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (places) => {
        let conversation = unseen(SESSION);
        for (const place of [...places, 13]) {
          const from = lastOf(conversation);
          const upto = Math.max(place, from);
          // A connection gives everything from where the client stands, and may give some of it again.
          conversation = after([...attachment(from, upto), ...LOG.slice(Math.max(0, from - 2), upto + 1)], unlinked(conversation));
        }
        expect(rowsOf(conversation)).toEqual(rowsOf(WHOLE));
        expect(conversation.entries).toEqual(WHOLE.entries);
      }),
    );
  });

  it("asks to be attached again where an entry is missing", () => {
    const gap = after([...attachment(-1, 3), LOG[5] as FromServer]);
    expect(gap.link).toBe("stale");
    expect(rowsOf(after(attachment(3, 13), gap))).toEqual(rowsOf(WHOLE));
  });

  it("begins anew where the log is another one", () => {
    const other = after([snapshot({ epoch: "e2", last: 0, head: 0 }), entry(0, "opened")], WHOLE);
    expect(other.entries.map((each) => each.pos)).toEqual([0]);
  });

  it("begins anew where the log says something else than was there", () => {
    const other = after([snapshot({ after: 3, last: 5, head: 5 }), said(4, "other"), replied(5, "words")], unlinked(WHOLE));
    expect(other.entries.map((each) => each.pos)).toEqual([4, 5]);
    expect(other.entries.at(0)).toMatchObject({ parts: [{ text: "other" }] });
  });

  it("drops what a process wrote that had lost the session", () => {
    const fenced = after([entry(14, "user_said", { parts: [{ kind: "text", text: "lost" }] })], WHOLE);
    const back = after([{ frame: "resync", session: SESSION, position: 13 }, said(14, "kept")], fenced);
    expect(rowsOf(back).at(-1)?.key).toBe("u14");
    expect(back.entries.at(-1)).toMatchObject({ parts: [{ text: "kept" }] });
  });

  it("takes earlier entries in only where they join", () => {
    const late = after(attachment(9, 13));
    expect(withOlder(late, LOG.slice(0, 5)).entries.length).toBe(4);
    expect(rowsOf(withOlder(late, LOG.slice(0, 10)))).toEqual(rowsOf(WHOLE));
  });
});

describe("another way from the same place", () => {
  it("is told with the last position of each", () => {
    const [first, second] = rowsOf(WHOLE).filter((row) => row.row === "user");
    expect(first?.row === "user" && first.versions).toEqual([]);
    expect(second?.row === "user" && second.versions).toEqual([
      { first: 7, tip: 9 },
      { first: 11, tip: 13 },
    ]);
  });

  it("is walked to by another rewind, and back", () => {
    const there = after([entry(14, "rewound", { to: 9 })], WHOLE);
    expect(rowsOf(there).flatMap((row) => (row.row === "user" ? [row.at] : []))).toEqual([1, 7]);
    const more = after([said(15, "On that day?")], there);
    const [, second] = rowsOf(more).filter((row) => row.row === "user");
    expect(second?.row === "user" && second.versions).toEqual([
      { first: 7, tip: 15 },
      { first: 11, tip: 13 },
    ]);
    const back = after([entry(15, "rewound", { to: 13 })], there);
    expect(rowsOf(back).flatMap((row) => (row.row === "user" ? [row.at] : []))).toEqual([1, 11]);
  });
});

describe("a reply that streams", () => {
  const before = after([...attachment(-1, 1), { frame: "turn_began", session: SESSION, model: "small" }]);
  const TEXT = "At 14:10 🌊, 日曜日 at noon.";
  const characters = Array.from(TEXT);

  it("is the same however its pieces are cut, repeated and overlapping", () => {
    const cut = fc.array(fc.record({ at: fc.nat({ max: characters.length }), back: fc.nat({ max: 5 }) }), { maxLength: 20 });
    fc.assert(
      fc.property(cut, (cuts) => {
        let have = 0;
        let conversation = before;
        for (const { at, back } of [...cuts, { at: characters.length, back: 0 }]) {
          const offset = Math.max(0, have - back);
          const end = Math.max(offset, at);
          conversation = advance(conversation, delta(2, offset, characters.slice(offset, end).join("")));
          have = Math.max(have, end);
        }
        expect(conversation.draft?.parts).toEqual([{ kind: "text", text: TEXT }]);
      }),
    );
  });

  it("asks for what is missing in front of a piece", () => {
    expect(after([delta(2, 0, "At "), delta(2, 9, "late")], before).link).toBe("stale");
  });

  it("keeps its row when it is written down, also behind another entry", () => {
    const streaming = after([delta(2, 0, "thinking", "thinking"), delta(2, 8, "At noon.")], before);
    const keys = rowsOf(streaming).map((row) => row.key);
    const parts = [{ kind: "thinking", text: "thinking" }, { kind: "text", text: "At noon." }];
    const done = after([said(2, "quick"), entry(3, "model_replied", { parts })], streaming);
    expect(rowsOf(done).map((row) => row.key)).toEqual([...keys.slice(0, 1), "u2", ...keys.slice(1)]);
    expect(done.draft).toBeNull();
  });

  it("is shown until its entry comes, where it ended while the connection was lost", () => {
    const streaming = after([delta(2, 0, "At ")], before);
    const back = advance(unlinked(streaming), snapshot({ after: 1, last: 3, head: 3 }));
    expect(back.draft?.parts).toEqual([{ kind: "text", text: "At " }]);
    const written = after([replied(2, "At noon."), entry(3, "turn_ended")], back);
    expect(written.draft).toBeNull();
    const gone = advance(unlinked(streaming), snapshot({ after: 1, last: 1, head: 1 }));
    expect(gone.draft).toBeNull();
  });

  it("goes on from a snapshot that has only what is missing", () => {
    const streaming = after([delta(2, 0, "At ")], before);
    const draft = { reply: 2, offset: 3, parts: [{ kind: "text" as const, text: "noon." }] };
    const back = advance(unlinked(streaming), snapshot({ after: 1, last: 1, head: 1, running: true, draft }));
    expect(back.draft?.parts).toEqual([{ kind: "text", text: "At noon." }]);
  });
});

describe("a tool", () => {
  it("is shown from the call to its result, and as broken off where the turn ended before it", () => {
    const running = after(attachment(-1, 3));
    const [activity] = rowsOf(running).filter((row) => row.row === "activity");
    expect(activity?.row === "activity" && activity.steps.map((step) => (step.is === "tool" ? step.outcome : step.is))).toEqual(["thought", "running"]);
    const broken = after([entry(4, "turn_ended", { why: "interrupted" })], running);
    const footer = rowsOf(broken).at(-1);
    expect(footer?.row === "footer" && footer.during).toBe("look");
  });
});
