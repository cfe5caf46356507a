/** What stands within a line: emphasis, code, links, formulas. A picture of another host is a card with its name. */

import type { ReactNode } from "react";
import { safeLink, type Token, type Tokens } from "./blocks";
import { Formula } from "./Formula";

export function Inline({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  return tokens.map((token, index) => <Piece key={index} token={token as Tokens.Generic} />);
}

function Piece({ token }: { readonly token: Tokens.Generic }): ReactNode {
  const inner = token.tokens === undefined ? unescaped(String(token["text"] ?? token.raw)) : <Inline tokens={token.tokens} />;
  switch (token.type) {
    case "strong":
      return <strong>{inner}</strong>;
    case "em":
      return <em>{inner}</em>;
    case "del":
      return <del>{inner}</del>;
    case "codespan":
      return <code>{String(token["text"])}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={String(token["href"])}>{inner}</Link>;
    case "image":
      return <ImageCard href={String(token["href"])} alt={String(token["text"])} />;
    case "math":
      return <Formula source={String(token["text"])} display={token["display"] === true} />;
    case "checkbox":
      return <input type="checkbox" checked={token["checked"] === true} readOnly disabled />;
    case "html":
      return token.raw; // shown as it was written
    case "escape":
      return String(token["text"]);
    default:
      return inner;
  }
}

export function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const safe = safeLink(href);
  if (safe === null) return <span className="dead-link">{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {children}
    </a>
  );
}

function ImageCard({ href, alt }: { readonly href: string; readonly alt: string }) {
  const safe = safeLink(href);
  const host = safe === null ? "" : new URL(safe).host;
  if (host === "") return <span className="dead-link">{alt}</span>;
  return (
    <Link href={href}>
      <span className="image-card">
        {alt === "" ? "" : `${alt} · `}
        {host}
      </span>
    </Link>
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** The five entities that people write; the lexer leaves them as they are. */
function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
