// The module worker around the suite (app/src/bin/worker.rs): fetches the interpreter, tells how far it is, then
// answers one order after the other, with a sign of life every now and then. Every message is a JSON text, see
// app/src/protocol.rs; besides those
// `replay {id, kata, source, replay}` is answered by `replayed {id}` with `test` or `error`, and `attack {id, level, moves}`
// and `shortest {id, level}` by `attacked {id}` and `shortest {id}` with `attack` (checker/src/suites/attack.rs).

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

// A report comes as JSON already; reading it only to write it again would round its large numbers.
const pass = (type, id, json) => self.postMessage(`{"type":"${type}","id":${id},${json.slice(1)}`);

/**
 * Tells the page that a run or a search goes on, and how to word it if nothing comes after that. A message that was posted
 * comes also from a worker that hangs.
 */
function signs(glue) {
  const SIGN_MS = 250;
  let id = 0;
  let test = "";
  let told = 0;
  glue.listen((begins, line) => {
    if (begins) test = begins;
    const now = performance.now();
    if (id === 0 || (!begins && now - told < SIGN_MS)) return;
    told = now;
    post({ type: "alive", id, message: `${test}: ${glue.silent_words(line)}` });
  });
  /** Whose signs are told from now on; 0: nobody's. */
  return (order) => {
    id = order;
    told = 0;
  };
}

/** The orders by name. Each may throw: then the interpreter is no longer to be trusted, and the page replaces it. */
function orders(glue) {
  const watched = signs(glue);
  // As many schedules at once as the command tries, because each part gets the same budget of work: the verdict is the
  // command's. They take some 10 ms.
  const PART = 500;
  const TELL_MS = 100;
  /** The search under way: `{ id, deeper, told }`. */
  let search = null;
  // A message to ourselves waits behind the page's. setTimeout would add 4 ms to each part.
  const turn = new MessageChannel();
  turn.port1.onmessage = (event) => search?.id === event.data && guarded(search.id, part, glue);

  function end() {
    const ended = search;
    search = null;
    ended?.deeper.free();
  }

  function part() {
    const { id, deeper, told } = search;
    watched(id);
    const test = deeper.step(PART);
    watched(0);
    if (test !== undefined) {
      end();
      return pass("searched", id, test);
    }
    if (performance.now() - told > TELL_MS) {
      search.told = performance.now();
      pass("tried", id, deeper.progress());
    }
    turn.port2.postMessage(id);
  }

  return {
    run({ id, kata, source }) {
      end();
      watched(id);
      const report = glue.check(kata, source);
      watched(0);
      if (report === undefined) throw new Error(`there is no suite for ${kata}`);
      self.postMessage(`{"type":"report","id":${id},"report":${report}}`);
      glue.tidy();
    },
    deeper({ id, kata, source, bound }) {
      end();
      search = { id, deeper: new glue.DeeperSearch(kata, source, bound, 0), told: performance.now() };
      turn.port2.postMessage(id);
    },
    cancel({ id }) {
      if (search?.id === id) end();
    },
    replay({ id, kata, source, replay }) {
      pass("replayed", id, glue.replay(kata, source, replay));
    },
    attack(order) {
      pass("attacked", order.id, glue.attack(JSON.stringify(order)));
    },
    shortest(order) {
      pass("shortest", order.id, glue.shortest(JSON.stringify(order)));
      // Thousands of runs.
      glue.tidy();
    },
  };
}

/** What to say of an error. Where memory ended, the wasm has trapped, and can still be asked about it. */
function wordsOf(error, glue) {
  try {
    // What browsers throw when the stack ends: a RangeError, or in Firefox an InternalError.
    const isStack = error instanceof RangeError || error?.name === "InternalError";
    return glue.last_words(isStack) ?? String(error?.message ?? error);
  } catch {
    return String(error?.message ?? error);
  }
}

function guarded(id, act, glue) {
  try {
    act();
  } catch (error) {
    post({ type: "crashed", id, message: wordsOf(error, glue) });
  }
}

try {
  const glue = await load();
  const known = orders(glue);
  self.onmessage = (event) => {
    const order = JSON.parse(event.data);
    guarded(order.id, () => known[order.type](order), glue);
  };
  post({ type: "ready" });
  // One module at a time: a run that is asked for meanwhile comes in between.
  const importAhead = (n) => glue.import_ahead(n) && setTimeout(importAhead, 0, n + 1);
  setTimeout(importAhead, 0, 0);
} catch (error) {
  post({ type: "failed", message: String(error?.message ?? error) });
}
