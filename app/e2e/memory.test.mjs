// A tab that is open all day: run after run leaves nothing behind in the worker's memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "./engine.mjs";
import { programs } from "./programs.mjs";
import { stage } from "./stage.mjs";

/** Until the heap has its size: once through all files, and for one file a few times. */
const WARM_UP = 20;
const RUNS = 500;
const FEWER = 20;
const ANEW = 100;
const MOST = 256 << 20;

const { server, browser } = await stage();

const all = await programs();

/**
 * The worker imports some modules by itself, little by little. Runs in between would leave a heap in other pieces on a
 * busy machine than on an idle one.
 */
async function importsAreDone(engine) {
  for (let last, same = 0; same < 5; ) {
    const now = await engine.memory();
    same = now === last ? same + 1 : 0;
    last = now;
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The worker's memory in bytes before and after the runs that count, with the files in turn. */
async function measured(t, files, runs = RUNS) {
  assert.ok(files.length > 0, "there are files to run");
  const context = await browser.newContext();
  t.after(() => context.close());
  const engine = await Engine.start(context, server);
  await importsAreDone(engine);
  const run = async (from, to) => {
    for (let i = from; i < to; i++) {
      const { kata, source } = files[i % files.length];
      await engine.run(kata, source);
    }
    return engine.memory();
  };
  const warm = Math.max(WARM_UP, files.length);
  const before = await run(0, warm);
  const after = await run(warm, warm + runs);
  assert.ok(after < MOST, `${after} bytes`);
  return { before, after };
}

const FIRST = all[0]?.kata;
for (const [what, pattern] of [["the solution", /\/solution\.py$/], ["wrong ones in turn", /\/wrong\//]]) {
  test(`${FIRST}: the worker's memory does not grow over ${RUNS} runs of ${what}`, async (t) => {
    const { before, after } = await measured(t, all.filter((p) => p.kata === FIRST && pattern.test(p.file)));
    // The heap grows by a megabyte at a time; one such step may come late, when a run meets it more in pieces than before.
    assert.ok(after - before < 2 << 20, `it grew from ${before} to ${after} bytes`);
  });
}

// The others' suites take several times as long: a growth with each run shows in fewer.
for (const kata of new Set(all.map((program) => program.kata))) {
  if (kata === FIRST) continue;
  test(`${kata}: the worker's memory does not grow over ${FEWER} runs of the solution`, async (t) => {
    const { before, after } = await measured(t, all.filter((p) => p.kata === kata && p.file.endsWith("/solution.py")), FEWER);
    assert.equal(after - before, 0, `it grew from ${before} to ${after} bytes`);
  });
}

test("a file that is run anew for every schedule leaves less than 64 KB a run", async (t) => {
  // Not nothing: the interpreter keeps a dead reference for every class that there ever was. It takes thousands of
  // such runs to fill the bound.
  const { before, after } = await measured(t, all.filter((p) => p.file.endsWith("/alt_class_counter.py")), ANEW);
  assert.ok(after - before < ANEW * (64 << 10), `it grew from ${before} to ${after} bytes`);
});
