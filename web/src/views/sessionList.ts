/** The rows of the list in their order: pinned first, then by day. */

import type { Texts } from "../locales/en";
import type { Row } from "../wire";

export type Listed = { readonly is: "heading"; readonly name: string } | { readonly is: "row"; readonly row: Row };

export function grouped(rows: readonly Row[], filter: string, texts: Texts, now = new Date()): readonly Listed[] {
  const words = filter.trim().toLowerCase();
  const fits = (row: Row) => words === "" || `${row.title} ${row.preview} ${row.session} ${row.tags.join(" ")}`.toLowerCase().includes(words);
  const sorted = rows.filter((row) => !row.archived && fits(row)).sort((a, b) => (a.updated < b.updated ? 1 : -1));
  const found: Listed[] = [];
  let heading = "";
  for (const row of [...sorted.filter((each) => each.pinned), ...sorted.filter((each) => !each.pinned)]) {
    const name = row.pinned ? texts.pinned : day(row.updated, texts, now);
    if (name !== heading) found.push({ is: "heading", name });
    heading = name;
    found.push({ is: "row", row });
  }
  return found;
}

function day(at: string, texts: Texts, now: Date): string {
  const then = new Date(at);
  const days = Math.round((startOf(now) - startOf(then)) / 86_400_000);
  if (days <= 0) return texts.today;
  if (days === 1) return texts.yesterday;
  if (days < 7) return new Intl.DateTimeFormat(texts.code, { weekday: "long" }).format(then);
  return new Intl.DateTimeFormat(texts.code, { month: "long", year: "numeric" }).format(then);
}

function startOf(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
