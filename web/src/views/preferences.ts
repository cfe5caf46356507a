/** Theme, language and notifications of this browser. */

import { useEffect, useState } from "react";

const KEPT = "holdfast.preferences";

export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly language: string;
  readonly notify: boolean;
}

const USUAL: Preferences = { theme: "system", language: "", notify: false };

function read(): Preferences {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Preferences>) };
  } catch {
    return USUAL;
  }
}

export function usePreferences(): readonly [Preferences, (preferences: Preferences) => void] {
  const [preferences, setPreferences] = useState(read);
  useEffect(() => {
    localStorage.setItem(KEPT, JSON.stringify(preferences));
    const root = document.documentElement;
    if (preferences.theme === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = preferences.theme;
  }, [preferences]);
  return [preferences, setPreferences];
}
