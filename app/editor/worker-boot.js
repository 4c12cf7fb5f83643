// The module worker around the suite (app/src/bin/worker.rs): fetches the interpreter, tells how far it is, then
// answers one run after the other. Every message is a JSON text, see app/src/protocol.rs.

const here = new URL(self.location.href);
const sibling = (name) => {
  const url = new URL(name, here);
  url.search = here.search;
  return url;
};
const post = (message) => self.postMessage(JSON.stringify(message));

// The same response, which tells how many of its bytes have come.
function counted(response) {
  const total = Number(here.searchParams.get("bytes")) || Number(response.headers.get("content-length")) || 0;
  let received = 0;
  let told = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength;
      // A message per percent is plenty.
      if (received - told > total / 100) {
        told = received;
        post({ type: "progress", received, total });
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), { headers: { "content-type": "application/wasm" } });
}

async function load() {
  const [glue, response] = await Promise.all([import(sibling("worker.js").href), fetch(sibling("worker_bg.wasm"))]);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  await glue.default({ module_or_path: counted(response) });
  post({ type: "starting" });
  glue.start();
  return glue;
}

function answer(glue, { id, kata, source }) {
  try {
    const report = glue.check(kata, source);
    if (report === undefined) throw new Error(`there is no suite for ${kata}`);
    self.postMessage(`{"type":"report","id":${id},"report":${report}}`);
  } catch (error) {
    post({ type: "crashed", id, message: String(error?.message ?? error) });
  }
}

try {
  const glue = await load();
  self.onmessage = (event) => answer(glue, JSON.parse(event.data));
  post({ type: "ready" });
  // One module at a time: a run that is asked for meanwhile comes in between.
  const importAhead = (n) => glue.import_ahead(n) && setTimeout(importAhead, 0, n + 1);
  setTimeout(importAhead, 0, 0);
} catch (error) {
  post({ type: "failed", message: String(error?.message ?? error) });
}
