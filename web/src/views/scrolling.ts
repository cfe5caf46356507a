/** Where a thread stands: at its end while it grows, at its place when somebody reads, and below a new question. */

import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

const AT_END = 48;
const QUESTION_TOP = 24;

export interface Scrolling {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Room below the last row, so that a new question can stand at the top. */
  readonly spacer: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  readonly onScroll: () => void;
  toEnd(smooth?: boolean): void;
  /** Put a row at the top, and keep it there while what follows grows. */
  putOnTop(key: string): void;
  /** Show a row in the middle. */
  show(key: string): boolean;
}

interface Anchor {
  readonly key: string;
  readonly top: number;
}

export function useScrolling(identity: string, changed: unknown): Scrolling {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const onTop = useRef<string | null>(null);
  const anchor = useRef<Anchor | null>(null);
  const [atEnd, setAtEnd] = useState(true);

  const settle = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    if (onTop.current !== null && !fitSpacer(box, content.current, spacer.current, onTop.current)) {
      // What follows the question is longer than the screen: from here on it is read, not followed.
      onTop.current = null;
      following.current = false;
      setAtEnd(false);
    }
    if (following.current && onTop.current === null) box.scrollTop = box.scrollHeight;
    else if (!following.current && anchor.current !== null) restore(box, anchor.current);
    anchor.current = anchorIn(box);
  }, []);

  useLayoutEffect(() => {
    following.current = true;
    onTop.current = null;
    anchor.current = null;
    if (spacer.current !== null) spacer.current.style.height = "0px";
    settle();
  }, [identity, settle]);

  useLayoutEffect(settle, [changed, settle]);

  useLayoutEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (box === null || inner === null) return undefined;
    const observer = new ResizeObserver(settle);
    observer.observe(inner);
    observer.observe(box);
    return () => observer.disconnect();
  }, [settle]);

  const onScroll = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    const distance = box.scrollHeight - box.scrollTop - box.clientHeight - (spacer.current?.offsetHeight ?? 0);
    following.current = distance <= AT_END;
    setAtEnd(following.current);
    anchor.current = anchorIn(box);
  }, []);

  const toEnd = useCallback((smooth = false) => {
    const box = scroller.current;
    if (box === null) return;
    following.current = true;
    onTop.current = null;
    if (spacer.current !== null) spacer.current.style.height = "0px";
    box.scrollTo({ top: box.scrollHeight, behavior: smooth ? "smooth" : "instant" });
    setAtEnd(true);
  }, []);

  const putOnTop = useCallback((key: string) => {
    const box = scroller.current;
    const row = box === null ? null : rowIn(box, key);
    if (box === null || row === null) return;
    onTop.current = key;
    fitSpacer(box, content.current, spacer.current, key);
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - QUESTION_TOP;
    following.current = true;
    setAtEnd(true);
  }, []);

  const show = useCallback((key: string) => {
    const box = scroller.current;
    const row = box === null ? null : rowIn(box, key);
    if (box === null || row === null) return false;
    following.current = false;
    row.scrollIntoView({ block: "center" });
    anchor.current = anchorIn(box);
    return true;
  }, []);

  return { scroller, content, spacer, atEnd, onScroll, toEnd, putOnTop, show };
}

function rowIn(box: HTMLElement, key: string): HTMLElement | null {
  return box.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
}

/** The first row that can be seen, and where its top is. */
function anchorIn(box: HTMLElement): Anchor | null {
  const top = box.getBoundingClientRect().top;
  for (const row of box.querySelectorAll<HTMLElement>("[data-row]")) {
    const place = row.getBoundingClientRect();
    if (place.bottom > top) return { key: row.dataset["row"] ?? "", top: place.top - top };
  }
  return null;
}

function restore(box: HTMLElement, anchor: Anchor): void {
  const row = rowIn(box, anchor.key);
  if (row === null) return;
  const moved = row.getBoundingClientRect().top - box.getBoundingClientRect().top - anchor.top;
  if (Math.abs(moved) >= 1) box.scrollTop += moved;
}

/** Make room below the rows, so that a row can stand at the top; whether there is anything to make. */
function fitSpacer(box: HTMLElement, content: HTMLElement | null, spacer: HTMLElement | null, key: string): boolean {
  const row = rowIn(box, key);
  if (row === null || content === null || spacer === null) return false;
  const below = content.getBoundingClientRect().bottom - row.getBoundingClientRect().top;
  const room = Math.max(0, box.clientHeight - QUESTION_TOP - below);
  spacer.style.height = `${room}px`;
  return room > 0;
}
