/** The one value that the page shows, and who is told when it changes. Frames are gathered up to the next picture. */

import { useSyncExternalStore } from "react";
import type { FromServer } from "../wire";
import { type Action, EMPTY, type Page, reduce } from "./page";

const HIDDEN_MS = 250;

export class PageStore {
  private page: Page = EMPTY;
  private readonly listeners = new Set<() => void>();
  private frames: FromServer[] = [];
  private scheduled = false;

  get = (): Page => this.page;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  dispatch(action: Action): void {
    this.flush();
    this.apply(action);
  }

  /** Take a frame in with the next picture; what is hidden has no pictures, so a timer takes their place. */
  receive(frame: FromServer): void {
    this.frames.push(frame);
    if (this.scheduled) return;
    this.scheduled = true;
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_MS);
    else requestAnimationFrame(() => this.flush());
  }

  flush(): void {
    this.scheduled = false;
    if (this.frames.length === 0) return;
    const frames = this.frames;
    this.frames = [];
    this.apply({ does: "frames", frames });
  }

  private apply(action: Action): void {
    const now = reduce(this.page, action);
    if (now === this.page) return;
    this.page = now;
    for (const listener of this.listeners) listener();
  }
}

/** A part of the page's state; the view is drawn again when that part changes. */
export function usePage<Part>(store: PageStore, part: (page: Page) => Part): Part {
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}
