// See tools/suites.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const RUNS = 5;
const cache = process.env.LEASEHOLD_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "leasehold");
const leasehold = join(process.env.CARGO_TARGET_DIR ?? join(cache, "target"), "debug", "leasehold");
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

let sum = 0;
for (const folder of readdirSync("exercises").filter((name) => /^\d/.test(name)).sort()) {
  const args = ["check", folder.slice(3), `exercises/${folder}/solution.py`, "--json"];
  const times = [];
  let report;
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    report = JSON.parse(execFileSync(leasehold, args, { maxBuffer: 1 << 26 }));
    times.push(performance.now() - start);
  }
  const search = report.tests.find((test) => test.search)?.search;
  const searched = search ? `${search.schedules} schedules, complete to ${search.complete_to} ${search.by}` : "no search";
  const took = median(times);
  sum += took;
  console.log(`${took.toFixed(0).padStart(6)} ms  ${folder}: ${report.verdict}, ${report.tests.length} tests, ${searched}`);
}
console.log(`${sum.toFixed(0).padStart(6)} ms  all`);
