// Makes the runs that the chapters' pictures show. The built engine itself runs the program, so a picture can't say what the
// engine would not. In a chapter's file (exercises/src/file.rs) `run` with kata, test and program becomes `trace` with a
// report.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const RUN = /\brun\x1d([^\x1d]*)\x1d([^\x1d]*)\x1d([^\x1d-\x1f]*)/g;

/** `at(name)` is the path of a file of the built page. */
export async function draw(at) {
  const glue = await import(pathToFileURL(at("worker.js")).href);
  glue.initSync({ module: await readFile(at("worker_bg.wasm")) });
  const chapters = (await readdir(at("katas"))).filter((name) => name.endsWith(".chapter"));
  for (const name of chapters) {
    const text = await readFile(at(`katas/${name}`), "utf8");
    const drawn = text.replace(RUN, (_, kata, test, source) => `trace\x1d${run(glue, name, kata, test, source)}`);
    await writeFile(at(`katas/${name}`), drawn);
  }
}

/** The report on the program with this one test. Lines of code are left out: there is no editor beside a chapter. */
function run(glue, chapter, kata, test, source) {
  const report = JSON.parse(glue.check(kata, source) ?? "null");
  const shown = report?.tests.find(({ name }) => name === test);
  if (!shown?.trace) throw new Error(`${chapter}: ${kata} shows nothing in ${test}`);
  for (const event of shown.trace.events) delete event.line;
  const { version, verdict } = report;
  return JSON.stringify({ version, kata, verdict, tests: [{ ...shown, line: null, replay: null, search: null }], output: "" });
}
