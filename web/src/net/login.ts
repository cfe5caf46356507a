/** Who this browser is: the cookie is the browser's, and this secret is the page's own. Both are needed. */

const KEPT = "holdfast.login";

export interface Kept {
  readonly secret: string;
  readonly person: string;
}

export function kept(): Kept | null {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    const login = read as Kept | null;
    return typeof login?.secret === "string" ? login : null;
  } catch {
    return null;
  }
}

export function forget(): void {
  localStorage.removeItem(KEPT);
}

export type LoginOutcome = { readonly is: "in"; readonly login: Kept } | { readonly is: "refused" | "unreachable"; readonly message: string };

/** Use a one-time link. Its secret came behind `#`, which no server sees. */
export async function logIn(link: string): Promise<LoginOutcome> {
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ link, device: device() }),
      credentials: "same-origin",
    });
    const given: unknown = await response.json();
    if (!response.ok) return { is: "refused", message: messageOf(given) };
    const login = given as Kept;
    localStorage.setItem(KEPT, JSON.stringify({ secret: login.secret, person: login.person }));
    return { is: "in", login };
  } catch (error) {
    return { is: "unreachable", message: String(error) };
  }
}

/** The secret in the address, which is removed from it: it is not to be copied or kept in the history. */
export function linkInAddress(): string | null {
  const found = /^#login=(.+)$/.exec(location.hash);
  if (found?.[1] === undefined) return null;
  history.replaceState(null, "", location.pathname);
  return decodeURIComponent(found[1]);
}

export function messageOf(answer: unknown): string {
  const error = (answer as { error?: { message?: unknown } } | null)?.error;
  return typeof error?.message === "string" ? error.message : "";
}

function device(): string {
  const agent = navigator.userAgent;
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent)?.[0] ?? "Browser";
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0] ?? "";
  return system === "" ? browser : `${browser} (${system})`;
}
