// Makes the runs that the pictures of chapters and of the museum show. The built engine itself runs the program, so a picture
// can't say what the engine would not. In a file of exercises/src/file.rs a picture that is a `run` with kata, test and
// program becomes a `trace` with a report. On a page of the museum a link to `#/shared` after a picture becomes one to that
// run, see app/src/pictures/link.rs.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";

const [FIELD, ITEM, PART] = ["\x1e", "\x1f", "\x1d"];
/** The places of the prose and of the pictures among the fields of a chapter. */
const [PARTS, PICTURES] = [4, 5];

/** `at(name)` is the path of a file of the built page. */
export async function draw(at) {
  const glue = await import(pathToFileURL(at("worker.js")).href);
  glue.initSync({ module: await readFile(at("worker_bg.wasm")) });
  const pages = (await readdir(at("katas"))).filter((name) => /\.(chapter|museum)$/.test(name));
  for (const name of pages) {
    const fields = (await readFile(at(`katas/${name}`), "utf8")).split(FIELD);
    const parts = fields[PARTS].split(ITEM);
    const pictures = fields[PICTURES].split(ITEM).map((picture, i) => {
      const [caption, what, kata, test, code] = picture.split(PART);
      if (what !== "run") return picture;
      const { report, replay } = run(glue, name, kata, test, code);
      // The card is the last one that has begun before its picture.
      const card = [...parts.slice(0, i + 1).join("").matchAll(/<h2 id="([^"]+)"/g)].at(-1)?.[1];
      const shared = { kata, code: bare(code), replay, test, from: `#/museum/${name.split(".")[0]}/${card}` };
      parts[i + 1] = parts[i + 1].replace('href="#/shared"', () => `href="${address(shared)}"`);
      return [caption, "trace", report].join(PART);
    });
    fields[PARTS] = parts.join(ITEM);
    fields[PICTURES] = pictures.join(ITEM);
    await writeFile(at(`katas/${name}`), fields.join(FIELD));
  }
}

/**
 * The report on the program with this one test, and the test's schedule. Lines of code are left out: there is no editor beside
 * a chapter.
 */
function run(glue, chapter, kata, test, source) {
  const report = JSON.parse(glue.check(kata, source) ?? "null");
  const shown = report?.tests.find(({ name }) => name === test);
  if (!shown?.trace) throw new Error(`${chapter}: ${kata} shows nothing in ${test}`);
  for (const event of shown.trace.events) delete event.line;
  const { version, verdict } = report;
  const tests = [{ ...shown, line: null, replay: null, search: null }];
  return { report: JSON.stringify({ version, kata, verdict, tests, output: "" }), replay: shown.replay ?? undefined };
}

/** A program without the comments above it, which say to our tests what is wrong with it. */
function bare(code) {
  return code.replace(/^(#.*\n)+\n*/, "");
}

/** The address of a run that is shared: base64url of a checksum (FNV-1a) and the deflated JSON. */
function address(shared) {
  const json = Buffer.from(JSON.stringify(shared));
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(json.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5));
  return `#/shared/1/${Buffer.concat([sum, deflateRawSync(json, { level: 9 })]).toString("base64url")}`;
}
