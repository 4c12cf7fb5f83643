// The table of tools/compare: node tools/compare.mjs HYPOTHESIS.json CRITERION-FOLDER CHROMIUM.json
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [hypothesisFile, criterion, chromiumFile] = process.argv.slice(2);
const json = (file) => JSON.parse(readFileSync(file, "utf8"));
const hypothesis = json(hypothesisFile);
const chromium = json(chromiumFile);

/** The milliseconds of one iteration, for each of Criterion's samples. */
function native(bench) {
  const { iters, times } = json(join(criterion, bench, "new", "sample.json"));
  return times.map((ns, i) => ns / iters[i] / 1e6);
}

/** What the bench ran in one iteration, by its own word. */
function elements(bench) {
  return json(join(criterion, bench, "new", "benchmark.json")).throughput.Elements;
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[values.length >> 1];
const number = (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));
const spread = (values) =>
  values.length === 1 ? number(values[0]) : `${number(median(values))} (${number(Math.min(...values))} to ${number(Math.max(...values))})`;

const rows = [["", "Hypothesis", "native", "×", "Chromium", "×", "bound"]];
const each = (what, theirs, ours, worker, ratio, bound) =>
  rows.push([what, spread(theirs), spread(ours), number(ratio(theirs, ours)), spread(worker), number(ratio(theirs, worker)), bound]);

const faster = (theirs, ours) => median(ours) / median(theirs);
const sooner = (theirs, ours) => median(theirs) / median(ours);
const solution = "schedules/drawn";
const schedules = native(solution).map((ms) => (elements(solution) / ms) * 1e3);
each("schedules of 16 steps a second", hypothesis["runs/s"], schedules, chromium["schedules/s"], faster, "100 × native, 40 × Chromium");
for (const key of Object.keys(hypothesis).filter((key) => key.startsWith("ms to find "))) {
  const file = key.slice("ms to find ".length);
  each(`ms to find and shrink ${file}`, hypothesis[key], native(`find/${file}`), chromium[key], sooner, "50 ms native");
}
for (const [what, [value]] of Object.entries(chromium).filter(([what]) => what.startsWith("MB "))) {
  rows.push([`${what}`, "", "", "", number(value), "", "256 MB, no growth"]);
}

const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
const line = (row) => `| ${row.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(" | ")} |`;
const [head, ...body] = rows.map(line);
console.log([head, line(widths.map((width) => "-".repeat(width))), ...body].join("\n"));
const steps = median(hypothesis["steps/s"]) / median(hypothesis["runs/s"]);
console.log(`
Medians, with the smallest and largest. Schedules a second: Hypothesis runs ${steps.toFixed(1)} steps on average, 16 at most, and
${median(hypothesis["us/step"]).toFixed(0)} µs each; ours are drawn ones of 16 operations. Finding a wrong lock is a whole run of the suite for us, named tests included.`);
