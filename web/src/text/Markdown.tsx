/** Markdown as elements. Nothing becomes HTML, so nothing that is said can run. */

import { memo, useRef } from "react";
import { type Blocks, blocksOf, NO_BLOCKS, type Token, type Tokens } from "./blocks";
import { Code } from "./Code";
import { Inline } from "./Inline";
import { Formula } from "./Formula";

export const Markdown = memo(function Markdown({ text, live = false }: { readonly text: string; readonly live?: boolean }) {
  const before = useRef<Blocks>(NO_BLOCKS);
  before.current = blocksOf(text, before.current);
  const { blocks } = before.current;
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        // A block is known by its place: blocks before the last one do not change.
        <Block key={index} block={block} live={live && index === blocks.length - 1} />
      ))}
    </div>
  );
});

interface BlockProps {
  readonly block: Token;
  readonly live: boolean;
}

const Block = memo(
  function Block({ block, live }: BlockProps) {
    const token = block as Tokens.Generic;
    switch (token.type) {
      case "heading":
        return <Heading token={token as Tokens.Heading} />;
      case "paragraph":
        return (
          <p>
            <Inline tokens={token.tokens ?? []} />
          </p>
        );
      case "text":
        return token.tokens === undefined ? <>{String(token["text"] ?? "")}</> : <Inline tokens={token.tokens} />;
      case "checkbox":
        return <Inline tokens={[token]} />;
      case "code":
        return <Code code={String(token["text"])} language={String(token["lang"] ?? "")} live={live} />;
      case "blockquote":
        return (
          <blockquote>
            <Tokens tokens={token.tokens ?? []} live={live} />
          </blockquote>
        );
      case "list":
        return <List token={token as Tokens.List} live={live} />;
      case "table":
        return <Table token={token as Tokens.Table} />;
      case "hr":
        return <hr />;
      case "math":
        return <Formula source={String(token["text"])} display />;
      default:
        return token.type === "space" || token.type === "def" ? null : <p>{token.raw}</p>;
    }
  },
  (was, now) => was.block.raw === now.block.raw && was.block.type === now.block.type && was.live === now.live,
);

function Tokens({ tokens, live }: { readonly tokens: readonly Token[]; readonly live: boolean }) {
  return tokens.map((token, index) => <Block key={index} block={token} live={live && index === tokens.length - 1} />);
}

function Heading({ token }: { readonly token: Tokens.Heading }) {
  // The page has its own first heading. A message may begin with any level; readers hear two, and see its own sizes.
  const Level = token.depth <= 2 ? "h2" : "h3";
  return (
    <Level className={`depth-${Math.min(3, token.depth)}`}>
      <Inline tokens={token.tokens} />
    </Level>
  );
}

function List({ token, live }: { readonly token: Tokens.List; readonly live: boolean }) {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? "task" : undefined}>
      <Tokens tokens={item.tokens} live={live && index === token.items.length - 1} />
    </li>
  ));
  if (!token.ordered) return <ul>{items}</ul>;
  return <ol start={typeof token.start === "number" ? token.start : 1}>{items}</ol>;
}

function Table({ token }: { readonly token: Tokens.Table }) {
  const cell = (each: Tokens.TableCell, column: number) => ({
    key: column,
    className: each.align === null ? undefined : `align-${each.align}`,
    children: <Inline tokens={each.tokens} />,
  });
  return (
    <div className="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((each, column) => {
              const { key, ...rest } = cell(each, column);
              return <th key={key} {...rest} />;
            })}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((each, column) => {
                const { key, ...rest } = cell(each, column);
                return <td key={key} {...rest} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
