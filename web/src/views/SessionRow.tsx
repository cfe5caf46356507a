/** One conversation in the list, with what happens in it now. */

import { memo } from "react";
import type { Row } from "../wire";
import { useTexts } from "./context";

interface SessionRowProps {
  readonly row: Row;
  readonly top: number;
  readonly current: boolean;
  readonly onOpen: (session: string) => void;
}

export const SessionRow = memo(function SessionRow({ row, top, current, onOpen }: SessionRowProps) {
  const texts = useTexts();
  const mark = row.questions > 0 ? "waiting" : row.running ? "running" : row.seen >= 0 && row.seen < row.last && !current ? "unread" : "";
  return (
    <a
      className="session"
      style={{ top }}
      href={`#/s/${encodeURIComponent(row.session)}`}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(row.session);
      }}
    >
      <span className="title" dir="auto">
        {row.title || row.preview || texts.noTitle}
      </span>
      <span className="preview" dir="auto">
        {row.preview}
      </span>
      {mark !== "" && <span className={`mark ${mark}`} title={texts[mark]} role="img" aria-label={texts[mark]} />}
    </a>
  );
});
