/** What every view may use: the client, the state, and the texts of the language. */

import { createContext, useContext } from "react";
import { en, type Texts } from "../locales/en";
import type { Client } from "../net/client";
import type { Page } from "../state/page";
import { usePage } from "../state/store";

export const ClientContext = createContext<Client | null>(null);
export const TextsContext = createContext<Texts>(en);

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === null) throw new Error("there is no client above this view");
  return client;
}

export function useTexts(): Texts {
  return useContext(TextsContext);
}

export function useShown<Part>(part: (page: Page) => Part): Part {
  return usePage(useClient().store, part);
}
