/** Ctrl-F: find in the whole session, also in what is not on the screen. */

import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { firstOf } from "../state/conversation";
import type { Conversation } from "../state/conversation";
import { rowsOf, wordsOfRow } from "../state/thread";
import { useClient, useTexts } from "./context";
import { Icon } from "./icons";

interface FindBarProps {
  readonly conversation: Conversation;
  readonly onClose: () => void;
  readonly onOpen: (at: number) => void;
}

export function FindBar({ conversation, onClose, onOpen }: FindBarProps) {
  const texts = useTexts();
  const client = useClient();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const first = firstOf(conversation);
  useEffect(() => {
    if (first > 0) void client.older(conversation.key, first);
  }, [client, conversation.key, first]);
  const found = useMemo(() => {
    const words = query.trim().toLowerCase();
    if (words === "") return [];
    return rowsOf(conversation).flatMap((row) => (wordsOfRow(row).toLowerCase().includes(words) ? [row.at] : []));
  }, [conversation, query]);
  const go = (step: number) => {
    if (found.length === 0) return;
    const next = (at + step + found.length) % found.length;
    setAt(next);
    onOpen(found[next] ?? 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return (
    <div className="find" role="search">
      <input
        autoFocus
        value={query}
        aria-label={texts.find}
        placeholder={texts.find}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(-1);
        }}
      />
      <span className="meta">{query === "" ? "" : found.length === 0 ? texts.noHits : texts.findCount(Math.max(0, at) + 1, found.length)}</span>
      <button type="button" className="quiet" aria-label={texts.close} onClick={onClose}>
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}
