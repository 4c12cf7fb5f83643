// Hostile programs in the page's worker: each ends in a worded verdict, and the next run works. The corpus is what the
// command `trust hostile --list` prints (trust/src/hostile.rs), and everything of it that can end the worker; of the families
// that are made by rule, every seventh.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Engine } from "./engine.mjs";
import { KataPage, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();

const cache = process.env.LEASEHOLD_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "leasehold");
const trust = join(process.env.CARGO_TARGET_DIR ?? join(cache, "target"), "debug", "trust");
const all = JSON.parse(execFileSync(trust, ["hostile", "--list"], { maxBuffer: 1 << 28 }));
const MADE = ["constructs", "cheats"];
const corpus = all.filter(({ family }, n) => !MADE.includes(family) || n % 7 === 0);

const KATA = "acquire-with-fencing";
const SOLUTION = readFileSync(new URL("../../exercises/01-acquire-with-fencing/solution.py", import.meta.url), "utf8");
/** As in app/src/state.rs. */
const SILENCE_MS = 1_500;

/** What is wrong with what became of a program; nothing if it came to what it must. */
function wrong({ must, says }, { type, message, report }) {
  if (type !== "report") return message.length > 40 && must !== "pass" ? null : `${type}: ${message}`;
  const failure = report.tests.find(({ outcome }) => outcome !== "passed");
  const told = failure ? `${failure.name}: ${failure.outcome}: ${failure.message}` : "all passed";
  if (failure && failure.message.trim() === "") return told;
  if (must === "end") return null;
  if (must === "pass") return failure ? told : null;
  if (must === "fail") return failure?.message.includes(says) ? null : told;
  const named = report.tests.find(({ name }) => name === says);
  return report.tests[0].outcome !== "passed" || (named && named.outcome !== "passed") ? null : told;
}

test(`${corpus.length} hostile programs end in words, and the next run works`, async (t) => {
  const problems = [];
  let engine = null;
  let context = null;
  const fresh = async () => {
    await context?.close();
    context = await browser.newContext();
    engine = await Engine.start(context, server);
  };
  t.after(() => context?.close());
  await fresh();
  for (const program of corpus) {
    const came = await engine.tried(program.kata, program.source, SILENCE_MS);
    const problem = wrong(program, came);
    if (problem) problems.push(`${program.name} on ${program.kata}: ${problem}`);
    // The page replaces a worker that crashed or hangs.
    if (came.type !== "report") await fresh();
    const next = await engine.tried(KATA, SOLUTION, 10 * SILENCE_MS);
    if (next.report?.verdict !== "passed") {
      problems.push(`the run after ${program.name}: ${next.message ?? JSON.stringify(next.report?.tests[0])}`);
      await fresh();
    }
  }
  assert.deepEqual(problems, []);
});

for (const [name, words] of [
  ["pattern_nested_plus", /a_free_lock_is_granted_with_an_integer_token: The code was stopped: it was busy inside/],
  ["memory_text_justified", /used too much memory.*line 20;/],
]) {
  test(`the page tells of ${name}, starts a fresh interpreter and keeps the code`, async (t) => {
    const context = await browser.newContext({ viewport: WIDE });
    t.after(() => context.close());
    const page = await KataPage.open(context, server.url);
    await page.ready();
    const { source } = all.find((program) => program.name === name);
    await page.fill(source);
    await page.page.keyboard.press("Control+Enter");
    await page.notice.waitFor();
    assert.match(await page.notice.textContent(), words);
    assert.equal((await page.code()).trim(), source.trim());
    await page.ready();
    await page.fill(SOLUTION);
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
    assert.deepEqual(page.problems, []);
  });
}
