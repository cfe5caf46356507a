import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blocksOf, NO_BLOCKS, safeLink } from "../src/text/blocks";

const PIECES = ["# A\n", "word ", "\n\n", "- one\n", "- two\n", "```py\n", "x = 1\n", "```\n", "| a |\n|--|\n", "| 1 |\n", "> q\n", "$x$ ", "\n", "[a]: http://x.y\n", "[a] "];

describe("Markdown that grows", () => {
  it("has the same blocks as the whole text read at once", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
        let blocks = NO_BLOCKS;
        let text = "";
        for (const piece of pieces) {
          text += piece;
          blocks = blocksOf(text, blocks);
        }
        expect(blocks.blocks.map((block) => block.raw.trimEnd())).toEqual(blocksOf(text).blocks.map((block) => block.raw.trimEnd()));
      }),
    );
  });
});

describe("a link", () => {
  it("leads to the web or to mail, and nowhere else", () => {
    for (const bad of ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:x", "//", "a b"]) {
      expect(safeLink(bad)).toBeNull();
    }
    expect(safeLink("https://example.org/a?b#c")).toBe("https://example.org/a?b#c");
  });
});
