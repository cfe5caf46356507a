/** The page: the list, the open conversation, and what lies over them. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { textsOf } from "../locales";
import { Banners } from "./Banners";
import { ChatView } from "./ChatView";
import { TextsContext, useClient, useShown, useTexts } from "./context";
import { Icon } from "./icons";
import { Palette } from "./Palette";
import { type Preferences, usePreferences } from "./preferences";
import { newSession, useRoute } from "./route";
import { Search } from "./Search";
import { Settings } from "./Settings";
import { Shortcuts } from "./Shortcuts";
import { Sidebar } from "./Sidebar";
import { Start } from "./Start";

type Sheet = "" | "search" | "palette" | "settings" | "shortcuts";

export function App() {
  const [preferences, setPreferences] = usePreferences();
  const texts = useMemo(() => textsOf(preferences.language), [preferences.language]);
  useEffect(() => {
    document.documentElement.lang = texts.code;
  }, [texts]);
  return (
    <TextsContext value={texts}>
      <Frame preferences={preferences} onPreferences={setPreferences} />
    </TextsContext>
  );
}

interface FrameProps {
  readonly preferences: Preferences;
  readonly onPreferences: (preferences: Preferences) => void;
}

function Frame({ preferences, onPreferences }: FrameProps) {
  const texts = useTexts();
  const client = useClient();
  const [route, go] = useRoute();
  const [fresh, setFresh] = useState(newSession);
  const [sheet, setSheet] = useState<Sheet>("");
  const [menu, setMenu] = useState(false);
  const [finding, setFinding] = useState(false);
  const session = route.session;
  const conversation = useShown((page) => page.conversations.get(session === "" ? fresh : session));
  const begun = useShown((page) => page.conversations.has(fresh) || page.outbox.some((each) => each.session === fresh));

  useEffect(() => {
    if (session !== "") client.open(session);
    setFinding(false);
  }, [client, session]);
  useEffect(() => {
    if (session === "" && begun) go(fresh); // the first message made it a session
  }, [session, begun, fresh, go]);
  const open = useCallback(
    (key: string, at?: number) => {
      setMenu(false);
      setSheet("");
      go(key, at);
    },
    [go],
  );
  const startNew = useCallback(() => {
    setFresh(newSession());
    setMenu(false);
    go("");
  }, [go]);
  useKeys({ setSheet, setFinding, startNew });
  const commands = useMemo(
    () => [
      { name: texts.newChat, run: startNew },
      { name: texts.search, run: () => setSheet("search") },
      { name: texts.settings, run: () => setSheet("settings") },
      { name: texts.shortcuts, run: () => setSheet("shortcuts") },
    ],
    [texts, startNew],
  );
  const close = () => setSheet("");
  return (
    <div className="page" data-menu={menu}>
      <Sidebar current={session} onOpen={open} onNew={startNew} onSearch={() => setSheet("search")} onSettings={() => setSheet("settings")} />
      {menu && <div className="shade" onClick={() => setMenu(false)} />}
      <button type="button" className="quiet menu" aria-label={texts.menu} aria-expanded={menu} onClick={() => setMenu(!menu)}>
        <Icon name="menu" />
      </button>
      <div className="stage">
        <Banners />
        {session === "" || conversation === undefined ? (
          <Start key={fresh} session={fresh} prefill={route.prefill} onOpen={open} />
        ) : (
          <ChatView
            session={session}
            conversation={conversation}
            wanted={route.at}
            prefill={route.prefill}
            notify={preferences.notify}
            finding={finding}
            onFound={() => setFinding(false)}
            onOpen={open}
          />
        )}
      </div>
      {sheet === "search" && <Search onClose={close} onOpen={open} />}
      {sheet === "palette" && <Palette commands={commands} onOpen={open} onClose={close} />}
      {sheet === "settings" && <Settings preferences={preferences} onChange={onPreferences} onClose={close} />}
      {sheet === "shortcuts" && <Shortcuts onClose={close} />}
    </div>
  );
}

interface Keys {
  readonly setSheet: (sheet: Sheet) => void;
  readonly setFinding: (change: (was: boolean) => boolean) => void;
  readonly startNew: () => void;
}

function useKeys({ setSheet, setFinding, startNew }: Keys): void {
  useEffect(() => {
    let found = false;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      if (key === "k") setSheet("palette");
      else if (key === "/") setSheet("shortcuts");
      else if (key === "o" && event.shiftKey) startNew();
      else if (key === "f" && !found) {
        // Pressed again while ours is open, it is the browser's.
        setFinding((was) => {
          found = was;
          return true;
        });
        if (found) {
          found = false;
          return;
        }
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [setSheet, setFinding, startNew]);
}
