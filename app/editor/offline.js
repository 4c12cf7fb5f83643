// The page without a network: registers static/service-worker.js, and says when a newer build is here. A newer one is
// offered, never forced: who types goes on with what is open.

/** The build's name: the same for the page and for its service worker. */
export const version = document.querySelector("meta[name=leasehold-build]")?.content ?? "";

const HOUR_MS = 3_600_000;

/** Says so once, at the foot of the window. */
function offer() {
  if (document.querySelector(".update")) return;
  const place = document.createElement("aside");
  place.className = "update";
  place.setAttribute("aria-label", "Update");
  const say = document.createElement("p");
  say.setAttribute("role", "status");
  const button = (words, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.onclick = act;
    return button;
  };
  place.append(say, button("Reload", () => location.reload()), button("Later", () => place.remove()));
  document.body.append(place);
  // Into an element that is there already: only then it is read out.
  say.textContent = "A new version of this page is here. Your code is saved; reload when it suits you.";
}

/** `calm` is kept when what the reader waits for has come: what is kept for later must not hold that up. */
export async function keepForOffline(calm) {
  const { serviceWorker } = navigator;
  // Not there without https, or where the browser forbids storage.
  if (!serviceWorker) return;
  serviceWorker.addEventListener("message", ({ data }) => data?.version && data.version !== version && offer());
  await calm;
  const registration = await serviceWorker.register("service-worker.js").catch(() => null);
  let asked = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - asked < HOUR_MS) return;
    asked = Date.now();
    registration?.update().catch(() => {});
  });
}
