/** Ctrl-K: go to a conversation, or do something, by typing a part of its name. */

import { type KeyboardEvent, useMemo, useState } from "react";
import { useShown, useTexts } from "./context";
import { Dialog } from "./Dialog";

const SHOWN = 12;

export interface Command {
  readonly name: string;
  run(): void;
}

interface PaletteProps {
  readonly commands: readonly Command[];
  readonly onOpen: (session: string) => void;
  readonly onClose: () => void;
}

export function Palette({ commands, onOpen, onClose }: PaletteProps) {
  const texts = useTexts();
  const rows = useShown((page) => page.rows);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => {
    const words = query.trim().toLowerCase();
    const sessions = [...rows.values()]
      .sort((a, b) => (a.updated < b.updated ? 1 : -1))
      .map((row) => ({ name: row.title || row.preview || row.session, run: () => onOpen(row.session) }));
    return [...commands, ...sessions].filter((each) => each.name.toLowerCase().includes(words)).slice(0, SHOWN);
  }, [rows, commands, query, onOpen]);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={texts.palette} onClose={onClose}>
      <input
       
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={`palette-${at}`}
        aria-label={texts.palette}
        value={query}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
      />
      <ul className="hits" id="palette" role="listbox" aria-label={texts.palette}>
        {found.map((command, index) => (
          <li key={index} id={`palette-${index}`} role="option" aria-selected={index === at} onClick={() => run(command)}>
            <span className="title" dir="auto">
              {command.name}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
