/** Files that go with the next message: they are sent to the gateway at once, and named in the message. */

import { type ReactNode, useCallback, useState } from "react";
import type { SayFrame } from "../wire";
import { useClient, useTexts } from "./context";
import { Icon } from "./icons";

interface Upload {
  readonly id: number;
  readonly name: string;
  readonly state: "sending" | "there" | "failed";
  readonly why: string;
  readonly part: SayFrame["parts"][number] | null;
}

export interface Uploads {
  readonly parts: SayFrame["parts"];
  readonly busy: boolean;
  readonly chips: ReactNode;
  add(files: FileList | null): void;
  clear(): void;
}

let uploads = 0;

export function useUploads(session: string): Uploads {
  const client = useClient();
  const [all, setAll] = useState<readonly Upload[]>([]);
  const change = useCallback((id: number, what: Partial<Upload>) => {
    setAll((was) => was.map((each) => (each.id === id ? { ...each, ...what } : each)));
  }, []);
  const add = (files: FileList | null) => {
    for (const file of files ?? []) {
      const id = ++uploads;
      setAll((was) => [...was, { id, name: file.name, state: "sending", why: "", part: null }]);
      client
        .upload(session, file)
        .then((part) => change(id, { state: "there", part }))
        .catch((error: unknown) => change(id, { state: "failed", why: error instanceof Error ? error.message : String(error) }));
    }
  };
  return {
    parts: all.flatMap((each) => (each.part === null ? [] : [each.part])),
    busy: all.some((each) => each.state === "sending"),
    chips: all.length === 0 ? null : <Chips all={all} remove={(id) => setAll((was) => was.filter((each) => each.id !== id))} />,
    add,
    clear: () => setAll([]),
  };
}

function Chips({ all, remove }: { readonly all: readonly Upload[]; readonly remove: (id: number) => void }) {
  const texts = useTexts();
  return (
    <ul className="chips">
      {all.map((each) => (
        <li key={each.id} data-state={each.state} title={each.why}>
          <span dir="auto">{each.name}</span>
          {each.why !== "" && <span className="failed">{each.why}</span>}
          <button type="button" className="quiet" aria-label={texts.removeFile(each.name)} onClick={() => remove(each.id)}>
            <Icon name="close" size={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}
