/** Markdown as top-level blocks. While a reply grows, only its last blocks are read again. */

import { Lexer, type Token, type TokenizerAndRendererExtension, type Tokens, use } from "marked";

export interface Math {
  readonly type: "math";
  readonly raw: string;
  readonly text: string;
  readonly display: boolean;
}

const inlineMath: TokenizerAndRendererExtension = {
  name: "math",
  level: "inline",
  start: (source) => {
    const found = source.search(/\$|\\\(/);
    return found < 0 ? undefined : found;
  },
  tokenizer(source) {
    const found = /^\$\$([^$\n]+?)\$\$|^\$(?!\s)((?:\\.|[^$\n\\])+?)(?<!\s)\$(?![\d\w])|^\\\(([^\n]+?)\\\)/.exec(source);
    if (found === null) return undefined;
    return { type: "math", raw: found[0], text: found[1] ?? found[2] ?? found[3] ?? "", display: found[1] !== undefined };
  },
};

const blockMath: TokenizerAndRendererExtension = {
  name: "math",
  level: "block",
  start: (source) => {
    const found = source.search(/^(\$\$|\\\[)/m);
    return found < 0 ? undefined : found;
  },
  tokenizer(source) {
    const found = /^\$\$\s*\n?([\s\S]+?)\n?\s*\$\$(?:\n|$)|^\\\[\s*\n?([\s\S]+?)\n?\s*\\\](?:\n|$)/.exec(source);
    if (found === null) return undefined;
    return { type: "math", raw: found[0], text: found[1] ?? found[2] ?? "", display: true };
  },
};

use({ gfm: true, extensions: [inlineMath, blockMath] });

export interface Blocks {
  readonly text: string;
  readonly blocks: readonly Token[];
}

export const NO_BLOCKS: Blocks = { text: "", blocks: [] };

/** The blocks of a text; `before` are those of an earlier, shorter form of it. */
export function blocksOf(text: string, before: Blocks = NO_BLOCKS): Blocks {
  if (text === before.text) return before;
  const { kept, length } = closed(text, before);
  return { text, blocks: [...kept, ...Lexer.lex(text.slice(length)).filter((token) => token.type !== "space")] };
}

/** The blocks that more text cannot change. Link definitions may stand anywhere, so with one everything is read again. */
function closed(text: string, before: Blocks): { kept: readonly Token[]; length: number } {
  const grows = before.blocks.length > 1 && text.startsWith(before.text) && !/^ {0,3}\[[^\]]+\]:/m.test(text);
  if (!grows) return { kept: [], length: 0 };
  const kept = before.blocks.slice(0, -1);
  let length = 0;
  for (const token of kept) {
    const at = before.text.indexOf(token.raw, length);
    if (at < 0) return { kept: [], length: 0 };
    length = at + token.raw.length;
  }
  return { kept, length };
}

/** Where a link may lead; anything else is shown as text. */
export function safeLink(href: string): string | null {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export type { Token, Tokens };
