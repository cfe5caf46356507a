/** Where one writes. Enter sends, but never in the middle of composing a character. */

import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { UserRow } from "../state/thread";
import { wordsOf } from "../state/entries";
import { useClient, useTexts } from "./context";
import { useDraft } from "./draft";
import { Icon } from "./icons";
import { SlashPalette, useSlashCommands } from "./SlashPalette";
import { useUploads } from "./uploads";

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
  const offered = useSlashCommands(onCommand === undefined ? "" : words);
  const [at, setAt] = useState(0);
  const pick = (command: { readonly name: string } | undefined) => {
    if (command !== undefined) setWords(`/${command.name} `);
    setAt(0);
    field.current?.focus();
  };
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
    const isWhole = offered.some((each) => `/${each.name}` === words);
    if (offered.length > 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setAt((at + (event.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length);
    } else if (offered.length > 0 && (event.key === "Tab" || (event.key === "Enter" && !isWhole))) {
      event.preventDefault();
      pick(offered[Math.min(at, offered.length - 1)]);
    } else if (event.key === "Enter" && !event.shiftKey) {
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
      <SlashPalette commands={offered} at={Math.min(at, offered.length - 1)} onPick={pick} />
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
