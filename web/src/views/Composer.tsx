/** Where one writes. Enter sends, but never in the middle of composing a character. */

import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { UserRow } from "../state/thread";
import { wordsOf } from "../state/entries";
import { useClient, useTexts } from "./context";
import { Icon } from "./icons";
import { useUploads } from "./uploads";

const KEEP_MS = 300;

interface ComposerProps {
  readonly session: string;
  readonly running: boolean;
  readonly editing: UserRow | null;
  readonly onEdited: () => void;
  /** Runs a slash command; without it, a line with a slash is said as it is. */
  readonly onCommand?: (line: string) => void;
  readonly prefill: string;
}

export function Composer({ session, running, editing, onEdited, onCommand, prefill }: ComposerProps) {
  const texts = useTexts();
  const client = useClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useDraft(session, prefill);
  const uploads = useUploads(session);
  useEffect(() => {
    if (editing === null) return;
    setWords(wordsOf(editing.entry.parts));
    field.current?.focus();
  }, [editing, setWords]);

  const send = (enters: "step" | "after" = "step") => {
    const text = words.trim();
    if ((text === "" && uploads.parts.length === 0) || uploads.busy) return;
    if (text.startsWith("/") && editing === null && onCommand !== undefined) onCommand(text);
    else {
      const continues = editing === null ? null : editing.at - 1;
      void client.say({ session, text, parts: uploads.parts, enters, continues });
    }
    setWords("");
    uploads.clear();
    if (editing !== null) onEdited();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Safari ends composing before the key that ended it comes, with the key code 229.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send(event.altKey ? "after" : "step");
    } else if (event.key === "Escape" && editing !== null) onEdited();
    else if (event.key === "Escape" && running) client.stop(session);
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    uploads.add(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    uploads.add(event.dataTransfer.files);
  };
  const empty = words.trim() === "" && uploads.parts.length === 0;
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDrop={onDrop}
      onDragOver={(event) => event.preventDefault()}
    >
      {editing !== null && (
        <div className="meta editing">
          {texts.editing}
          <button type="button" className="plain" onClick={onEdited}>
            {texts.cancel}
          </button>
        </div>
      )}
      {uploads.chips}
      <div className="field">
        <label className="quiet attach" title={texts.attach}>
          <Icon name="clip" />
          <input type="file" multiple aria-label={texts.attach} onChange={(event) => uploads.add(event.target.files)} />
        </label>
        <textarea
          ref={field}
          value={words}
          rows={1}
          dir="auto"
          aria-label={texts.composer}
          placeholder={texts.placeholder}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {running && empty ? (
          <button type="button" className="round" aria-label={texts.stop} title={texts.stop} onClick={() => client.stop(session)}>
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" className="round" aria-label={running ? texts.steer : texts.send} title={running ? texts.steer : texts.send} disabled={empty}>
            <Icon name="send" />
          </button>
        )}
      </div>
      {running && !empty && (
        <button type="button" className="plain later" onClick={() => send("after")}>
          {texts.queue}
        </button>
      )}
    </form>
  );
}

/** What is written and not sent, kept for each session over a reload. */
function useDraft(session: string, prefill: string): readonly [string, (words: string) => void] {
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
