/** What is written and not sent, kept for each session over a reload. */

import { useEffect, useRef, useState } from "react";
import { useClient } from "./context";

const KEEP_MS = 300;

export function useDraft(session: string, prefill: string): readonly [string, (words: string) => void] {
  const client = useClient();
  const [words, setWords] = useState(prefill);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    let wanted = true;
    if (prefill === "") {
      void client.draft(session).then((kept) => {
        if (wanted) setWords((now) => (now === "" ? kept : now));
      });
    }
    return () => {
      wanted = false;
    };
  }, [client, session, prefill]);
  const change = (now: string) => {
    setWords(now);
    clearTimeout(timer.current);
    if (now === "") void client.keepDraft(session, "");
    else timer.current = setTimeout(() => void client.keepDraft(session, now), KEEP_MS);
  };
  return [words, change];
}
