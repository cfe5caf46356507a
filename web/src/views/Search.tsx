/** Search in everything said. A find leads to its place. */

import { useEffect, useState } from "react";
import { moment } from "../locales";
import type { Hit } from "../net/api";
import { useClient, useTexts } from "./context";
import { Dialog } from "./Dialog";

const TYPING_MS = 200;

interface SearchProps {
  readonly onClose: () => void;
  readonly onOpen: (session: string, at: number) => void;
}

export function Search({ onClose, onOpen }: SearchProps) {
  const texts = useTexts();
  const client = useClient();
  const [query, setQuery] = useState("");
  const [hits, setHits] = useState<readonly Hit[] | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (query.trim() === "") {
      setHits(null);
      return undefined;
    }
    let wanted = true;
    const timer = setTimeout(() => {
      client.api
        .search(query)
        .then((found) => {
          if (!wanted) return;
          setHits(found);
          setProblem("");
        })
        .catch((error: unknown) => {
          if (wanted) setProblem(error instanceof Error ? error.message : String(error));
        });
    }, TYPING_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [client, query]);
  return (
    <Dialog title={texts.search} onClose={onClose}>
      <input type="search" value={query} onChange={(event) => setQuery(event.target.value)} placeholder={texts.searchHint} aria-label={texts.searchHint} />
      {problem !== "" && <p className="problem">{problem}</p>}
      {hits !== null && hits.length === 0 && <p className="meta">{texts.noHits}</p>}
      <ul className="hits">
        {(hits ?? []).map((hit) => (
          <li key={`${hit.session}@${hit.position}`}>
            <button type="button" onClick={() => onOpen(hit.session, hit.position)}>
              <span className="title" dir="auto">
                {hit.title || hit.session}
              </span>
              <span className="preview" dir="auto">
                {hit.snippet}
              </span>
              <span className="meta">{moment(texts, hit.at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
