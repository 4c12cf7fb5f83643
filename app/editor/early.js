import "./settings.js";
import { keepForOffline, version } from "./offline.js";
import { sibling } from "./picture.js";
import "./places.js";
import "./dialogs.js";

// Starts the worker while the page's own code is still on its way; app/src/engine.rs takes it over. The interpreter is
// what a reader waits for longest. Not on a narrow screen, where nothing can be run.

let early = null;

// 1024 px is also in app/src/components.rs.
if (matchMedia("(min-width: 1024px)").matches) {
  const worker = new Worker(sibling("worker-boot.js"), { type: "module" });
  const said = [];
  worker.onmessage = (event) => said.push(event.data);
  worker.onerror = (event) => said.push(JSON.stringify({ type: "failed", message: event.message ?? "" }));
  early = { worker, said };
}

/** The interpreter has come, or can't; where none is loaded, the page has. */
const calm = new Promise((done) => {
  if (!early) return addEventListener("load", done);
  early.worker.addEventListener("message", function hear({ data }) {
    if (!/^\{"type":"(ready|failed)"/.test(data)) return;
    this.removeEventListener("message", hear);
    done();
  });
});
keepForOffline(calm);

/** The worker and what it has said so far, a line a message; only once. */
globalThis.takeEarlyWorker = () => {
  const taken = early;
  early = null;
  if (!taken) return undefined;
  taken.worker.onmessage = taken.worker.onerror = null;
  return { worker: taken.worker, said: taken.said.join("\n") };
};

/** Fetches one of the files of exercises/src/file.rs and hands on its text, or nothing if it can't be had. */
globalThis.fetchText = (name, came) =>
  fetch(new URL(`katas/${name}?v=${version}`, document.baseURI))
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined)
    .then(came);
