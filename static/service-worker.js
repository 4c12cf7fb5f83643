// Keeps the whole page for times without a network. app/editor/stamp.mjs puts in the build's version and its files. Nearly
// every file but the page itself has an address that changes with its content, so that what is kept can't be stale.
const VERSION = "BUILD_VERSION";
const FILES = ["BUILD_FILES"];
const PAGE = "./";
const CACHE = `leasehold-${VERSION}`;
/** So long the page itself may take to come from the network before the kept one is shown. */
const PATIENCE_MS = 3_000;

const kept = async (name, request) => (await caches.open(name)).match(request, { ignoreVary: true });

async function fill() {
  const cache = await caches.open(CACHE);
  const missing = [];
  for (const address of FILES) {
    // What the build before had under the same name is the same.
    const same = /[-=][0-9a-f]{16}/.test(address) ? await caches.match(address, { ignoreVary: true }) : null;
    if (same) await cache.put(address, same);
    else missing.push(address);
  }
  await cache.addAll([PAGE, ...missing].map((address) => new Request(address, { cache: "no-cache" })));
  // Nothing that is open is harmed: it goes on asking for the files of its own build.
  await self.skipWaiting();
}

/** The build before this one is kept too: it may still be open. */
async function takeOver() {
  const ours = (await caches.keys()).filter((name) => name.startsWith("leasehold-") && name !== CACHE);
  await Promise.all(ours.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
  for (const client of await self.clients.matchAll({ type: "window" })) client.postMessage({ version: VERSION });
}

/** The newest page there is, or the kept one. */
async function page(request) {
  const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
  if (response && response.status < 500) return response;
  return (await kept(CACHE, PAGE)) ?? response ?? Response.error();
}

async function file(request) {
  for (const name of [CACHE, ...(await caches.keys()).filter((name) => name.startsWith("leasehold-"))]) {
    const response = await kept(name, request);
    if (response) return response;
  }
  return fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const path = request.url.slice(scope.length).replace(/[?#].*/, "");
  if (request.mode !== "navigate") event.respondWith(file(request));
  else if (path === "" || path === "index.html") event.respondWith(page(request));
});
