/** What can be done with a message, wherever it is shown. */

import type { UserRow } from "../state/thread";

export interface MessageActions {
  edit(row: UserRow): void;
  regenerate(question: number): void;
  fork(at: number): void;
  rewind(at: number): void;
  link(at: number): void;
  takeBack(at: number): void;
  goOn(): void;
}
