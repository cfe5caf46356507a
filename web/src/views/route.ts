/** Which session the address names, and which position in it. A link may fill the composer; it never sends. */

import { useCallback, useSyncExternalStore } from "react";

export interface Route {
  readonly session: string;
  readonly at: number | null;
  readonly prefill: string;
}

const NOWHERE: Route = { session: "", at: null, prefill: "" };

function parsed(hash: string): Route {
  const [path = "", query = ""] = hash.split("?");
  const prefill = new URLSearchParams(query).get("text") ?? "";
  const found = /^#\/s\/([^@]+)(?:@(\d+))?$/.exec(path);
  if (found?.[1] === undefined) return { ...NOWHERE, prefill };
  try {
    return { session: decodeURIComponent(found[1]), at: found[2] === undefined ? null : Number(found[2]), prefill };
  } catch {
    return NOWHERE;
  }
}

let last = { hash: "", route: NOWHERE };

function current(): Route {
  if (last.hash !== location.hash) last = { hash: location.hash, route: parsed(location.hash) };
  return last.route;
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useRoute(): readonly [Route, (session: string, at?: number) => void] {
  const route = useSyncExternalStore(subscribe, current);
  const go = useCallback((session: string, at?: number) => {
    location.hash = session === "" ? "#/" : `#/s/${encodeURIComponent(session)}${at === undefined ? "" : `@${at}`}`;
  }, []);
  return [route, go];
}

/** A key for a session that begins here. */
export function newSession(): string {
  const now = new Date().toISOString().replace(/[-:]/g, "").slice(0, 15).replace("T", "-");
  return `web-${now}-${crypto.randomUUID().slice(0, 4)}`;
}
