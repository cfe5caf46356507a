/** Messages on their way: what is sent of one, and what becomes of it. */

import type { DoneFrame, ErrorFrame, SayFrame } from "../wire";
import { type Conversation, lastOf } from "./conversation";
import type { Outgoing } from "./page";

/** What the page has of a session when something is said in it; a message that is sent again is known by it for ever. */
export function saidSince(conversation: Conversation | undefined, begins: boolean): number | null {
  if (conversation?.meta != null) return Math.max(lastOf(conversation), conversation.meta.after);
  return begins ? -1 : null;
}

/** A message as it is sent, and sent again. */
export function sayFrame({ id, session, parts, enters, continues, since = null }: Outgoing): SayFrame {
  return { frame: "say", session, id, parts, enters, continues, since };
}

/** What is left of a message after its answer: nothing once it is written down; itself where it is to be sent again. */
export function answered(message: Outgoing, frame: DoneFrame | ErrorFrame): Outgoing | null {
  if (frame.frame === "done") return null;
  return frame.code === "stopping" ? message : { ...message, failure: frame.message || frame.code };
}
