/** The reply that streams. Its length is counted in characters (code points), as the gateway counts. */

import type { DeltaFrame, DraftShown } from "../wire";

export interface DraftPart {
  readonly kind: "text" | "thinking";
  readonly text: string;
}

export interface Draft {
  readonly reply: number;
  readonly length: number;
  readonly parts: readonly DraftPart[];
}

export interface Grown {
  readonly draft: Draft | null;
  readonly gap: boolean;
}

/** A draft with one more piece. What is there already is left out; `gap` says that something before it is missing. */
export function grow(draft: Draft | null, piece: Pick<DeltaFrame, "reply" | "offset" | "kind" | "text">): Grown {
  const known: Draft = draft !== null && draft.reply === piece.reply ? draft : { reply: piece.reply, length: 0, parts: [] };
  if (piece.offset > known.length) return { draft, gap: true };
  const characters = Array.from(piece.text);
  const fresh = characters.slice(known.length - piece.offset);
  if (fresh.length === 0) return { draft: known, gap: false };
  const text = fresh.length === characters.length ? piece.text : fresh.join("");
  const last = known.parts.at(-1);
  const parts =
    last?.kind === piece.kind
      ? [...known.parts.slice(0, -1), { kind: piece.kind, text: last.text + text }]
      : [...known.parts, { kind: piece.kind, text }];
  return { draft: { reply: known.reply, length: known.length + fresh.length, parts }, gap: false };
}

/** The draft of a snapshot, joined to what is there already. */
export function joined(draft: Draft | null, shown: DraftShown | null): Grown {
  if (shown === null) return { draft: null, gap: false };
  let grown: Grown = { draft: draft?.reply === shown.reply ? draft : { reply: shown.reply, length: 0, parts: [] }, gap: false };
  let offset = shown.offset;
  for (const part of shown.parts) {
    grown = grow(grown.draft, { reply: shown.reply, offset, kind: part.kind, text: part.text });
    if (grown.gap) return grown;
    offset += Array.from(part.text).length;
  }
  return grown;
}
