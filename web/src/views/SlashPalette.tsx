/** The slash commands that fit what is typed, above the composer. */

import { useEffect, useState } from "react";
import type { SlashCommand } from "../net/api";
import { useClient, useTexts } from "./context";

const SHOWN = 8;

let known: Promise<readonly SlashCommand[]> | null = null;

/** Commands that begin with what is typed, or else those that say it in their help. */
export function useSlashCommands(line: string): readonly SlashCommand[] {
  const client = useClient();
  const [all, setAll] = useState<readonly SlashCommand[]>([]);
  const typing = /^\/\S*$/.test(line);
  useEffect(() => {
    if (!typing) return;
    known ??= client.api.commands();
    known.then(setAll).catch(() => {
      known = null; // asked again with the next slash
    });
  }, [client, typing]);
  if (!typing) return [];
  const wanted = line.slice(1).toLowerCase();
  const begun = all.filter((each) => [each.name, ...each.aliases].some((name) => name.startsWith(wanted)));
  return (begun.length > 0 ? begun : all.filter((each) => each.help.toLowerCase().includes(wanted))).slice(0, SHOWN);
}

interface SlashPaletteProps {
  readonly commands: readonly SlashCommand[];
  readonly at: number;
  readonly onPick: (command: SlashCommand) => void;
}

export function SlashPalette({ commands, at, onPick }: SlashPaletteProps) {
  const texts = useTexts();
  if (commands.length === 0) return null;
  return (
    <ul className="hits slash" role="listbox" aria-label={texts.commands}>
      {commands.map((command, index) => (
        <li key={command.name} role="option" aria-selected={index === at} onMouseDown={(event) => event.preventDefault()} onClick={() => onPick(command)}>
          <span className="title">{command.usage}</span>
          <span className="preview">{command.help}</span>
        </li>
      ))}
    </ul>
  );
}
