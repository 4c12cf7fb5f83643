// Prints how long the page takes, in Chromium on this machine: from Run Tests to the verdict (warm), and from opening
// the page to the interpreter being ready (cold, from a local server). Run: DIST=dist node app/e2e/figures.mjs
// Then each kata's solution, warm: the whole suite, from the key to the verdict.
// With PYODIDE=node_modules/pyodide (from `npm install --no-save pyodide`), the same load beside Pyodide's start.
import { readdir, readFile } from "node:fs/promises";
import { KataPage, launch, serve, WIDE } from "./page.mjs";

const RUNS = 15;
const LOADS = 5;
const KATA_RUNS = 7;

const server = await serve();
const browser = await launch();
const solution = await readFile(new URL("../../exercises/01-acquire-with-fencing/solution.py", import.meta.url), "utf8");

function print(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const show = (ms) => `${ms.toFixed(1)} ms`;
  console.log(`${what}: median ${show(sorted[sorted.length >> 1])}, min ${show(sorted[0])}, max ${show(sorted.at(-1))}`);
}

/** From the key to the frame with the new verdict in it, measured in the page. */
const timedRun = (page) =>
  page.page.evaluate(
    () =>
      new Promise((done) => {
        const results = document.querySelector(".results");
        const start = performance.now();
        new MutationObserver((_, observer) => {
          observer.disconnect();
          requestAnimationFrame(() => done(performance.now() - start));
        }).observe(results, { attributes: true, attributeFilter: ["data-run"] });
        window.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true }));
      }),
  );

const loads = [];
for (let i = 0; i < LOADS; i++) {
  const context = await browser.newContext({ viewport: WIDE });
  const page = await KataPage.open(context, server.url);
  await page.ready();
  // Counted from the navigation, in the page: what the driver adds is not the page's.
  loads.push(await page.page.evaluate(() => performance.getEntriesByName("interpreter-ready")[0].startTime));
  await context.close();
}
print(`cold load to ready, ${LOADS} loads`, loads);

if (process.env.PYODIDE) {
  const bare = await serve({ dist: process.env.PYODIDE });
  const starts = [];
  for (let i = 0; i < LOADS; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${bare.url}package.json`);
    // In a module worker, as ours is; until it has computed something.
    const took = await page.evaluate(async (base) => {
      const source = `import { loadPyodide } from "${base}pyodide.mjs";
        const py = await loadPyodide({ indexURL: "${base}" }); py.runPython("1 + 1"); postMessage("ready");`;
      const start = performance.now();
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
      await new Promise((done, failed) => ((worker.onmessage = done), (worker.onerror = (e) => failed(new Error(e.message)))));
      return performance.now() - start;
    }, bare.url);
    starts.push(took);
    await context.close();
  }
  print(`Pyodide, cold start in a module worker, ${LOADS} starts`, starts);
  await bare.close();
}

for (const [what, code] of [["starter", null], ["solution", solution]]) {
  const context = await browser.newContext({ viewport: WIDE });
  const page = await KataPage.open(context, server.url);
  await page.ready();
  if (code) await page.fill(code);
  await page.runByKey();
  const times = [];
  for (let i = 0; i < RUNS; i++) times.push(await timedRun(page));
  print(`Run Tests to verdict, warm, ${what}, ${RUNS} runs`, times);
  await context.close();
}

// Every kata by its address, with its solution.
const EXERCISES = new URL("../../exercises/", import.meta.url);
for (const folder of (await readdir(EXERCISES)).filter((name) => /^\d/.test(name)).sort()) {
  const context = await browser.newContext({ viewport: WIDE });
  const page = await KataPage.open(context, `${server.url}#/kata/${folder.slice(3)}`);
  await page.ready();
  await page.fill(await readFile(new URL(`${folder}/solution.py`, EXERCISES), "utf8"));
  await page.runByKey();
  const times = [];
  for (let i = 0; i < KATA_RUNS; i++) times.push(await timedRun(page));
  print(`${folder}, solution, warm, ${KATA_RUNS} runs`, times);
  await context.close();
}

// A story of 500 events in the place of the first test's: what one step through it costs, up to the next frame.
const context = await browser.newContext({ viewport: WIDE });
await context.addInitScript(() => {
  const Real = window.Worker;
  window.Worker = class extends Real {
    postMessage(message) {
      const { id, kata } = JSON.parse(message);
      const events = Array.from({ length: 500 }, (_, i) =>
        i % 2
          ? { at_us: i * 1e6, kind: "answered", client: i % 3, name: "job", reply: { result: "granted", token: String(i), expires_us: (i + 2) * 1e6 } }
          : { at_us: i * 1e6, kind: "called", client: (i + 1) % 3, call: { op: "acquire", name: "job", ttl_us: 2e6 } },
      );
      const trace = { clients: ["A", "B", "C"], events, first_bad: null, witnesses: [] };
      const test = { name: "long", outcome: "failed", message: "", line: null, replay: null, search: null, trace };
      const report = { version: 1, kata, verdict: "failed", tests: [test], output: "" };
      const data = JSON.stringify({ type: "report", id, report });
      this.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
});
const page = await KataPage.open(context, server.url);
await page.ready();
await page.runByKey();
await page.page.locator(".player").focus();
await page.page.keyboard.press("Home");
const steps = await page.page.evaluate(async () => {
  const times = [];
  for (let i = 0; i < 60; i++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    document.querySelector(".player").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    // Reading the layout makes the browser do the work that the next frame would have to wait for.
    await Promise.resolve();
    document.querySelector(".tl-now-edge").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
});
if (!(await page.page.locator(".steps-count").textContent()).startsWith("61 /")) throw new Error("not every step was taken");
print("one step through 500 events, script and layout, 60 steps", steps);
await context.close();

await browser.close();
await server.close();
