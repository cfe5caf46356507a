/** What can be done with a conversation as a whole. Deleting moves it into the trash, and can be undone at once. */

import { useState } from "react";
import { useClient, useShown, useTexts } from "./context";
import { Dialog } from "./Dialog";

interface SessionMenuProps {
  readonly session: string;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

export function SessionMenu({ session, onClose, onGone }: SessionMenuProps) {
  const texts = useTexts();
  const client = useClient();
  const row = useShown((page) => page.rows.get(session));
  const [title, setTitle] = useState(row?.title ?? "");
  const [trashed, setTrashed] = useState("");
  const done = (work: Promise<unknown>) => void work.then(onClose);
  if (trashed !== "") {
    return (
      <Dialog title={texts.session.removed} onClose={onGone}>
        <div className="buttons">
          <button type="button" className="button" onClick={() => done(client.bringBack(trashed))}>
            {texts.undo}
          </button>
          <button type="button" className="button main" onClick={onGone}>
            {texts.close}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.session.more} onClose={onClose}>
      <form
        className="settings"
        onSubmit={(event) => {
          event.preventDefault();
          done(client.edit(session, { title }));
        }}
      >
        <label>
          {texts.session.title}
          <input value={title} dir="auto" onChange={(event) => setTitle(event.target.value)} />
        </label>
        <div className="buttons">
          <button type="button" className="button" onClick={() => done(client.edit(session, { pinned: row?.pinned !== true }))}>
            {row?.pinned === true ? texts.session.unpin : texts.session.pin}
          </button>
          <button type="button" className="button" onClick={() => done(client.edit(session, { archived: row?.archived !== true }))}>
            {row?.archived === true ? texts.session.unarchive : texts.session.archive}
          </button>
          <button type="button" className="button failed" onClick={() => void client.remove(session).then(setTrashed)}>
            {texts.session.remove}
          </button>
          <button type="submit" className="button main">
            {texts.session.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
