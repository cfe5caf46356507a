import { describe, expect, it } from "vitest";
import { unseen } from "../src/state/conversation";
import { answered, saidSince, sayFrame } from "../src/state/outbox";
import { EMPTY, type Outgoing, type Page, reduce, tooMany } from "../src/state/page";
import type { Row } from "../src/wire";
import { said, SESSION, snapshot } from "./frames";

const MESSAGE: Outgoing = { id: "m", session: SESSION, parts: [], enters: "step", continues: null, begins: false, typed: 0, since: 7, failure: "" };

describe("a message on its way", () => {
  it("says what the page had when it was typed, however late it is sent again", () => {
    const page = [{ does: "open", session: SESSION } as const, { does: "frames", frames: [snapshot({ after: 6, last: 7 }), said(7, "Hello.")] } as const].reduce(
      reduce,
      EMPTY,
    );
    expect(saidSince(page.conversations.get(SESSION), false)).toBe(7);
    expect(saidSince(unseen(SESSION), false)).toBe(null);
    expect(saidSince(undefined, true)).toBe(-1);
    expect(sayFrame(MESSAGE).since).toBe(7);
  });

  it("is no failure where the gateway stops: it is sent again", () => {
    const error = { frame: "error", message: "Not now.", hint: "", id: "m", session: SESSION } as const;
    expect(answered(MESSAGE, { ...error, code: "stopping" })).toBe(MESSAGE);
    expect(answered(MESSAGE, { ...error, code: "held" })?.failure).toBe("Not now.");
    expect(answered(MESSAGE, { frame: "done", id: "m", position: 8, changed: true })).toBe(null);
  });
});

describe("a session that is not there any more", () => {
  it("is no row of the list, also where it was deleted while there was no connection", () => {
    const listed: Page = { ...EMPTY, rows: new Map(["a", "b"].map((session) => [session, { session } as Row])) };
    const error = { frame: "error", code: "no_session", message: "There is no session 'a'.", hint: "", id: "", session: "a" } as const;
    const page = reduce(listed, { does: "frame", frame: error });
    expect([...page.rows.keys()]).toEqual(["b"]);
    expect(page.failures.map((each) => each.message)).toEqual(["There is no session 'a'."]);
    expect(reduce(listed, { does: "frame", frame: { ...error, code: "held" } }).rows.size).toBe(2);
  });
});

describe("the sessions that are watched", () => {
  function opened(...keys: string[]): Page {
    return keys.reduce((page, session) => reduce(page, { does: "open", session }), EMPTY);
  }

  it("are no more than a gateway allows, and those opened longest ago go", () => {
    const keys = Array.from({ length: 34 }, (_, number) => `s${number}`);
    expect(tooMany(opened(...keys.slice(0, 32)))).toEqual([]);
    const page = opened(...keys, "s0");
    expect(tooMany(page)).toEqual(["s1", "s2"]);
    expect(tooMany({ ...page, outbox: [{ ...MESSAGE, session: "s1" }] })).toEqual(["s2", "s3"]);
    expect(reduce(page, { does: "close", session: "s1" }).conversations.has("s1")).toBe(false);
  });
});
