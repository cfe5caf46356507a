// Keeps the built files of the page, so that it opens without a connection. It never keeps a conversation.
const KEPT = "holdfast-files";

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  const others = caches.keys().then((names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name))));
  event.waitUntil(others.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(file(request));
});

// The gateway first: its page names files that are there. Without it, the page as it was.
async function page(request) {
  const cache = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    if (response.ok) {
      await cache.put("/", response.clone());
      await tidy(cache, await response.clone().text());
    }
    return response;
  } catch (error) {
    const kept = await cache.match("/");
    if (kept === undefined) throw error;
    return kept;
  }
}

async function file(request) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

// Files of earlier builds go once a page of a new build was loaded.
async function tidy(cache, html) {
  const main = /\/assets\/index-[\w-]+\.js/.exec(html)?.[0];
  const files = await cache.keys();
  const isNew = main !== undefined && !files.some((each) => new URL(each.url).pathname === main);
  if (isNew) await Promise.all(files.filter((each) => new URL(each.url).pathname.startsWith("/assets/")).map((each) => cache.delete(each)));
}
