/** An empty page: a line of greeting, where one writes, and the last conversations. */

import { useShown, useTexts } from "./context";
import { Composer } from "./Composer";

const RECENT = 3;

interface StartProps {
  readonly session: string;
  readonly prefill: string;
  readonly onOpen: (session: string) => void;
}

export function Start({ session, prefill, onOpen }: StartProps) {
  const texts = useTexts();
  const rows = useShown((page) => page.rows);
  const recent = [...rows.values()].sort((a, b) => (a.updated < b.updated ? 1 : -1)).slice(0, RECENT);
  return (
    <main className="start">
      <h1>{texts.greeting}</h1>
      <Composer session={session} running={false} editing={null} onEdited={() => undefined} prefill={prefill} />
      {recent.length > 0 && (
        <ul className="hits" aria-label={texts.recent}>
          {recent.map((row) => (
            <li key={row.session}>
              <button type="button" onClick={() => onOpen(row.session)}>
                <span className="title" dir="auto">
                  {row.title || row.preview || texts.noTitle}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
