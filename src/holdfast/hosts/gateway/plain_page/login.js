"use strict";
// The secret of the link stands behind #, so no server and no log has it; it is posted once and then worth nothing.
const said = document.getElementById("said");
const found = new URLSearchParams(location.hash.slice(1)).get("login");
document.getElementById("socket").textContent = `${location.origin.replace(/^http/, "ws")}/socket`;

async function logIn(link) {
  history.replaceState(null, "", "/");
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link, device: navigator.userAgent.slice(0, 60) }),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${told.error.message} ${told.error.hint}`);
  localStorage.setItem("holdfast-secret", told.secret);
}

async function show() {
  if (found) await logIn(found);
  const secret = localStorage.getItem("holdfast-secret") ?? "";
  const answer = await fetch("/login", { headers: { "x-holdfast-secret": secret } });
  const who = answer.ok ? await answer.json() : undefined;
  const name = who?.person ? ` as ${who.person}` : "";
  said.textContent = who ? `You are logged in${name}.` : "You are not logged in: `holdfast serve --login` gives a link.";
}

show().catch((error) => { said.textContent = error.message; });
