/** What is wrong now, and that it is over. Nobody is told of a cut that lasts less than three seconds. */

import { useEffect, useState } from "react";
import { clock } from "../locales";
import { useClient, useShown, useTexts } from "./context";
import { Icon } from "./icons";

const PATIENCE_MS = 3_000;
const RESUMED_MS = 6_000;

export function Banners() {
  const texts = useTexts();
  const client = useClient();
  const lost = useShown((page) => (page.connection.is === "lost" || page.connection.is === "connecting" ? page.connection.since : null));
  const resumed = useShown((page) => page.resumed);
  const failures = useShown((page) => page.failures);
  const late = useLate(lost);
  const fresh = useFresh(resumed);
  return (
    <div className="banners" role="status">
      {late && <p className="banner waiting">{texts.lost}</p>}
      {fresh && resumed !== null && !late && <p className="banner">{texts.resumed(clock(texts, resumed))}</p>}
      {failures.map((failure) => (
        <p key={failure.id} className="banner failed">
          <span dir="auto">
            {failure.message} {failure.hint}
          </span>
          <button type="button" className="quiet" aria-label={texts.close} onClick={() => client.store.dispatch({ does: "dismiss", id: failure.id })}>
            <Icon name="close" size={16} />
          </button>
        </p>
      ))}
    </div>
  );
}

/** Whether something has been so for longer than a moment. */
function useLate(since: number | null): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (since === null) return undefined;
    const timer = setTimeout(() => setLate(true), Math.max(0, since + PATIENCE_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [since]);
  return late;
}

function useFresh(at: number | null): boolean {
  const [fresh, setFresh] = useState(false);
  useEffect(() => {
    if (at === null) return undefined;
    setFresh(true);
    const timer = setTimeout(() => setFresh(false), RESUMED_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return fresh;
}
