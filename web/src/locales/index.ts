/** The language of the page: chosen in the settings, or else the browser's. */

import { en, type Texts } from "./en";
import { zh } from "./zh";

export const LANGUAGES: readonly Texts[] = [en, zh];

export function textsOf(code: string): Texts {
  const wanted = code === "" ? navigator.languages.map((each) => each.slice(0, 2)) : [code];
  for (const each of wanted) {
    const found = LANGUAGES.find((texts) => texts.code === each);
    if (found !== undefined) return found;
  }
  return en;
}

export function time(texts: Texts, at: string | number): string {
  return new Intl.DateTimeFormat(texts.code, { hour: "2-digit", minute: "2-digit" }).format(new Date(at));
}

export function moment(texts: Texts, at: string | number): string {
  return new Intl.DateTimeFormat(texts.code, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
}

export function clock(texts: Texts, at: number): string {
  return new Intl.DateTimeFormat(texts.code, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(at));
}

/** A time span in the short form that both languages read: 0.4 s, 12 s, 3 min. */
export function span(milliseconds: number): string {
  if (milliseconds < 1) return "";
  if (milliseconds < 9_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 99_500) return `${Math.round(milliseconds / 1000)} s`;
  if (milliseconds < 5_940_000) return `${Math.round(milliseconds / 60_000)} min`;
  return `${(milliseconds / 3_600_000).toFixed(1)} h`;
}

export function count(amount: number): string {
  if (amount < 1_000) return String(amount);
  if (amount < 99_950) return `${(amount / 1_000).toFixed(1)}k`;
  return amount < 999_500 ? `${Math.round(amount / 1_000)}k` : `${(amount / 1_000_000).toFixed(1)}M`;
}

export function money(micros: number): string {
  return micros === 0 ? "" : `$${(micros / 1_000_000).toFixed(micros < 10_000 ? 4 : 2)}`;
}
