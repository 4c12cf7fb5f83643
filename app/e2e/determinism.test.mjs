// The command and the page's worker are two builds of one checker: a program gets the same report from both, to the
// byte, traces included. Of each kata all right programs and every fourth wrong one; with EVERY=1 all.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { availableParallelism, homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Engine } from "./engine.mjs";
import { programs } from "./programs.mjs";
import { stage } from "./stage.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

const { server, browser } = await stage();

/**
 * The command's path. Built each time, which takes a moment when nothing changed: one of yesterday would look like a
 * difference between the builds. With the whole workspace, as the native tests do, so that they share an interpreter.
 */
async function command() {
  const cache = process.env.LEASEHOLD_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "leasehold");
  const env = { CARGO_TARGET_DIR: join(cache, "target"), ...process.env };
  const args = ["build", "--quiet", "--locked", "--workspace", "--bin", "leasehold", "--message-format=json"];
  const { stdout } = await run("cargo", args, { cwd: ROOT, env, maxBuffer: 1 << 26 });
  const built = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return built.find(({ executable, target }) => executable && target.name === "leasehold").executable;
}

/** The report of a process of its own. One that says "failed" ends with 1, which is no error here. */
async function native(leasehold, { kata, url }) {
  const args = ["check", kata, fileURLToPath(url), "--json"];
  const { stdout, stderr } = await run(leasehold, args, { maxBuffer: 1 << 26 }).catch((ended) => ended);
  assert.ok(stdout.endsWith("}\n"), `leasehold ${args.join(" ")} printed no report: ${stdout}${stderr}`);
  return stdout.slice(0, -1);
}

/** A replay in a process of its own. */
async function replayed(leasehold, { kata, url }, string) {
  const args = ["replay", kata, fileURLToPath(url), string, "--json"];
  const { stdout, stderr } = await run(leasehold, args, { maxBuffer: 1 << 26 }).catch((ended) => ended);
  assert.ok(stdout.endsWith("}\n"), `leasehold ${args.join(" ")} printed no run: ${stdout}${stderr}`);
  return stdout.slice(0, -1);
}

/** What to read first when two reports of one file differ; none if they don't. */
function difference(file, native, wasm) {
  if (native === wasm) return null;
  const [a, b] = [native, wasm].map((text) => Buffer.from(text));
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a[at] === b[at]) at++;
  const tests = (text) => new Map((JSON.parse(text).tests ?? []).map((test) => [test.name, JSON.stringify(test)]));
  const [ours, theirs] = [tests(native), tests(wasm)];
  const name = [...new Set([...ours.keys(), ...theirs.keys()])].find((name) => ours.get(name) !== theirs.get(name));
  const around = (bytes) => bytes.subarray(Math.max(0, at - 120), at + 120).toString();
  return `${file}, ${name ?? "outside the tests"}, byte ${at}:\n  native …${around(a)}…\n  wasm   …${around(b)}…`;
}

/** Those to compare, enough of each kata. */
async function compared() {
  let wrong = 0;
  return (await programs()).filter(({ file }) => process.env.EVERY || !file.includes("/wrong/") || wrong++ % 4 === 0);
}

test("a program gets the same report natively and in wasm, to the byte", async (t) => {
  const [leasehold, all, context] = await Promise.all([command(), compared(), browser.newContext()]);
  t.after(() => context.close());
  assert.ok(all.length > 12, `${all.length} programs were found`);

  const natively = new Map();
  const waiting = [...all];
  const worker = async () => {
    for (let program; (program = waiting.shift()); ) natively.set(program.file, await native(leasehold, program));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));

  // One worker for all, as a learner's tab has: a report that depends on the runs before it differs as well.
  const engine = await Engine.start(context, server);
  const differences = [];
  for (const program of all) {
    const { kata, file, source } = program;
    const { report } = await engine.run(kata, source);
    differences.push(difference(file, natively.get(file), report));
    // What the search found, or else the last named test that passed, once more by its string: the same on both sides,
    // and the same as shown.
    const { tests, verdict } = JSON.parse(report);
    const test = verdict === "passed" ? tests.findLast((test) => test.replay) : tests.find((test) => test.search && test.replay);
    if (!test) continue;
    const string = test.replay;
    const [ours, theirs] = [await replayed(leasehold, program, string), await engine.replay(kata, source, string)];
    differences.push(difference(`${file}, replay ${string}`, ours, theirs));
    // A report shows the beginning of a long run, a replay all of it.
    const { cut, ...shown } = test.trace;
    const { trace } = JSON.parse(theirs);
    if (cut) trace.events.length = shown.events.length;
    assert.deepEqual(trace, shown, `${file}: ${string} brings back another run than ${test.name}`);
  }
  const found = differences.filter(Boolean);
  assert.equal(found.length, 0, `${found.length} of ${all.length} reports differ\n\n${found.join("\n\n")}`);
});

test("a difference names the file, the test and the first byte", () => {
  const report = (n) => JSON.stringify({ tests: [{ name: "one", n: 1 }, { name: "two", n }], output: "" });
  assert.equal(difference("a.py", report(1), report(1)), null);
  const [first, native, wasm] = difference("a.py", report(1), report(2)).split("\n");
  const at = report(1).lastIndexOf("1");
  assert.equal(first, `a.py, two, byte ${at}:`);
  assert.match(native, /native .*"two","n":1/);
  assert.match(wasm, /wasm .*"two","n":2/);
  assert.match(difference("a.py", report(1), report(1).replace('""', '"x"')), /^a\.py, outside the tests, byte/);
});
