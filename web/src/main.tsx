/** Starts the page: logs in with the link in the address, or with what this browser has, and connects. */

import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { textsOf } from "./locales";
import { Client } from "./net/client";
import { kept, type Kept, linkInAddress, logIn } from "./net/login";
import { registerServiceWorker } from "./net/serviceWorker";
import { openStorage } from "./net/storage";
import { PageStore, usePage } from "./state/store";
import "./styles/page.css";
import { App } from "./views/App";
import { ClientContext, TextsContext } from "./views/context";
import { SignIn } from "./views/SignIn";

const store = new PageStore();
document.addEventListener("visibilitychange", () => store.flush());

function Root({ link }: { readonly link: string | null }) {
  const [login, setLogin] = useState<Kept | null>(link === null ? kept() : null);
  const [why, setWhy] = useState<"none" | "used" | "unreachable" | "wait">(link === null ? "none" : "wait");
  const signedOut = usePage(store, (page) => page.connection.is === "signed_out");
  const [client, setClient] = useState<Client | null>(null);
  const enter = async (secret: string) => {
    setWhy("wait");
    const outcome = await logIn(secret);
    if (outcome.is === "in") setLogin(outcome.login);
    // A link that was used by this very browser still leads in.
    else if (kept() !== null && outcome.is === "refused") setLogin(kept());
    else setWhy(outcome.is === "refused" ? "used" : "unreachable");
  };
  useEffect(() => {
    if (link !== null) void enter(link);
  }, [link]);
  useEffect(() => {
    if (login === null) return;
    void openStorage().then((storage) => {
      const made = new Client(login, store, storage);
      setClient(made);
      return made.start();
    });
  }, [login]);
  if (signedOut || login === null || client === null) {
    const reason = signedOut ? "out" : login === null ? why : "wait";
    return (
      <TextsContext value={textsOf("")}>
        <SignIn why={reason} onLink={(secret) => void enter(secret).then(() => location.reload())} />
      </TextsContext>
    );
  }
  return (
    <ClientContext value={client}>
      <App />
    </ClientContext>
  );
}

registerServiceWorker();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no root");
createRoot(root).render(
  <StrictMode>
    <Root link={linkInAddress()} />
  </StrictMode>,
);
