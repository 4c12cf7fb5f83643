// Prints how fast the page's worker tries kata 1 in Chromium on this machine, and what memory it takes. tools/compare
// runs it beside the native build and Hypothesis. Run: DIST=dist node app/e2e/engine-figures.mjs [--json]
import { readFile } from "node:fs/promises";
import { Engine } from "./engine.mjs";
import { launch, serve } from "./page.mjs";

const KATA = "acquire-with-fencing";
const WARM_UP = 10;
const RUNS = 30;
/** As in checker/benches/engine.rs. */
const DRAWN = 500;
const WRONG = ["never_expires.py", "held_at_its_expiry.py", "token_per_name.py"];
/** After how many runs the memory is looked at. */
const LOOKS = [0, 100, 500];

const source = (file) => readFile(new URL(`../../exercises/01-${KATA}/${file}`, import.meta.url), "utf8");
const server = await serve();
const browser = await launch();
const figures = {};

/** An engine of its own for `use`, so that no figure pays for the runs of another. */
async function withEngine(use) {
  const context = await browser.newContext();
  await use(await Engine.start(context, server));
  await context.close();
}

async function timed(engine, code, verdict) {
  const times = [];
  let report;
  for (let i = 0; i < WARM_UP + RUNS; i++) {
    const run = await engine.run(KATA, code);
    report = JSON.parse(run.report);
    if (report.verdict !== verdict) throw new Error(`${verdict} was expected: ${run.report.slice(0, 500)}`);
    if (i >= WARM_UP) times.push(run.ms);
  }
  return { times, report };
}

const solution = await source("solution.py");
await withEngine(async (engine) => {
  const { times } = await timed(engine, solution, "passed");
  figures["ms a suite"] = times;
  // As long as those of Hypothesis, and nothing but the schedules: the worker itself takes the time.
  figures["schedules/s"] = [];
  for (let i = -2; i < RUNS; i++) {
    const perSecond = await engine.drawn(solution, DRAWN, 0);
    if (i >= 0) figures["schedules/s"].push(perSecond);
  }
});
for (const file of WRONG) {
  const code = await source(`wrong/${file}`);
  await withEngine(async (engine) => (figures[`ms to find ${file}`] = (await timed(engine, code, "failed")).times));
}
// The second one is run anew for every schedule, so it makes the most garbage.
for (const file of ["solution.py", "alt_class_counter.py"]) {
  const code = await source(file);
  await withEngine(async (engine) => {
    for (let runs = 0; runs <= Math.max(...LOOKS); runs++) {
      if (LOOKS.includes(runs)) figures[`MB after ${runs} runs of ${file}`] = [(await engine.memory()) / (1 << 20)];
      await engine.run(KATA, code);
    }
  });
}
await browser.close();
await server.close();

if (process.argv.includes("--json")) console.log(JSON.stringify(figures));
else {
  for (const [what, values] of Object.entries(figures)) {
    const sorted = [...values].sort((a, b) => a - b);
    const show = (value) => value.toFixed(value < 1000 ? 1 : 0);
    const spread = sorted.length > 1 ? ` (${show(sorted[0])} to ${show(sorted.at(-1))})` : "";
    console.log(`${what}: ${show(sorted[sorted.length >> 1])}${spread}`);
  }
}
