/** The list of conversations: only the rows that can be seen are there, so ten thousand of them scroll as ten do. */

import { type UIEvent, useMemo, useState } from "react";
import { useClient, useShown, useTexts } from "./context";
import { Icon } from "./icons";
import { SessionRow } from "./SessionRow";
import { grouped, type Listed } from "./sessionList";

const ROW = 52;
const HEADING = 32;
const AROUND = 400;

interface SidebarProps {
  readonly current: string;
  readonly onOpen: (session: string) => void;
  readonly onNew: () => void;
  readonly onSearch: () => void;
  readonly onSettings: () => void;
}

export function Sidebar({ current, onOpen, onNew, onSearch, onSettings }: SidebarProps) {
  const texts = useTexts();
  const client = useClient();
  const rows = useShown((page) => page.rows);
  const listed = useShown((page) => page.listed);
  const [filter, setFilter] = useState("");
  const [view, setView] = useState({ top: 0, height: 1_000 });
  const list = useMemo(() => placed(grouped([...rows.values()], filter, texts)), [rows, filter, texts]);
  const height = list.at(-1)?.bottom ?? 0;
  const shown = list.filter((each) => each.bottom > view.top - AROUND && each.top < view.top + view.height + AROUND);
  const onScroll = (event: UIEvent<HTMLElement>) => {
    const box = event.currentTarget;
    setView({ top: box.scrollTop, height: box.clientHeight });
    if (box.scrollTop + box.clientHeight > box.scrollHeight - 2 * AROUND) void client.moreRows();
  };
  return (
    <nav className="sidebar" aria-label={texts.sessions}>
      <div className="sidebar-top">
        <button type="button" className="wide" onClick={onNew}>
          <Icon name="plus" /> {texts.newChat}
        </button>
        <button type="button" className="wide" onClick={onSearch}>
          <Icon name="search" /> {texts.search}
        </button>
        <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} placeholder={texts.sessions} aria-label={texts.sessions} />
      </div>
      <div className="session-list" onScroll={onScroll}>
        {listed && list.length === 0 && <p className="meta nothing">{filter === "" ? texts.noSessions : texts.noHits}</p>}
        <div style={{ height, position: "relative" }}>
          {shown.map(({ item, top }) =>
            item.is === "heading" ? (
              <h2 key={`h${item.name}`} style={{ top }}>
                {item.name}
              </h2>
            ) : (
              <SessionRow key={item.row.session} row={item.row} top={top} current={item.row.session === current} onOpen={onOpen} />
            ),
          )}
        </div>
      </div>
      <button type="button" className="wide" onClick={onSettings}>
        <Icon name="gear" /> {texts.settings}
      </button>
    </nav>
  );
}

interface Placed {
  readonly item: Listed;
  readonly top: number;
  readonly bottom: number;
}

function placed(items: readonly Listed[]): readonly Placed[] {
  let top = 0;
  return items.map((item) => {
    const bottom = top + (item.is === "heading" ? HEADING : ROW);
    const place = { item, top, bottom };
    top = bottom;
    return place;
  });
}
