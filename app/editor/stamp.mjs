// Finishes the build. Takes the function names out of the interpreter (5 MB that only a debugger reads), lets it make the runs
// that chapters show, and writes into the page which files belong to it: a hash of those that have none in their names, and
// how many bytes the interpreter has once it is unpacked (a compressed answer's Content-Length does not tell). Then puts the
// page's inline scripts into files, so that its policy can forbid such scripts, and tells the service worker what to keep.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { draw } from "./draw.mjs";

const dist = process.env.TRUNK_STAGING_DIR;
const at = (name) => join(dist, name);

/** A wasm file without its custom sections. */
function bare(wasm) {
  const kept = [wasm.subarray(0, 8)];
  for (let start = 8; start < wasm.length; ) {
    let at = start + 1;
    let size = 0;
    for (let shift = 0, byte = 0x80; byte & 0x80; shift += 7) {
      byte = wasm[at++];
      size += (byte & 0x7f) * 2 ** shift;
    }
    if (wasm[start] !== 0) kept.push(wasm.subarray(start, at + size));
    start = at + size;
  }
  return Buffer.concat(kept);
}

await writeFile(at("worker_bg.wasm"), bare(await readFile(at("worker_bg.wasm"))));
await draw(at);

const sum = (algorithm, encoding, ...parts) => {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest(encoding);
};
const sumOf = async (names) => sum("sha256", "hex", ...(await Promise.all(names.map((name) => readFile(at(name)))))).slice(0, 16);
const katas = (await readdir(at("katas"))).sort().map((name) => `katas/${name}`);
const pictures = ["pictures.js", "pictures_bg.wasm", "pictures-carry.js", "pictures.css"];
const programs = ["worker-boot.js", "worker.js", "worker_bg.wasm", ...pictures];
const stamp = `v=${await sumOf(programs)}&bytes=${(await readFile(at("worker_bg.wasm"))).length}`;
// Of all that is served. Not the programs' stamp as well: a new sentence somewhere is no reason to fetch the interpreter again.
const build = await sumOf(["index.html", "service-worker.js", ...programs, ...katas]);

let html = await readFile(at("index.html"), "utf8");
const put = (place, text) => {
  if (!html.includes(place)) throw new Error(`index.html has no ${place}`);
  html = html.replaceAll(place, () => text);
};
put("WORKER_STAMP", stamp.replace("&", "&amp;"));
put("BUILD_VERSION", build);

// Trunk's own scripts: the one that starts the page, of which only the start is wanted, and, where it serves the page, the
// one that loads it anew after a build, with what Trunk would write into it as it serves index.html.
const starts = /(import init).*?( from .*\n)const wasm = (await init\(.*)\n[^]*/;
const plain = (text) =>
  text.trim().replace(starts, "$1$2$3\n").replaceAll("'{{__TRUNK_ADDRESS__}}'", "location.host").replace("{{__TRUNK_WS_BASE__}}", "/");
const inline = [...html.matchAll(/<script( type="module")?>([^]*?)<\/script>/g)];
if (!inline.some(([, , text]) => starts.test(text.trim()))) throw new Error("index.html has no script that starts the page");
for (const [whole, type = "", text] of inline) {
  const script = plain(text);
  const name = `start-${sum("sha256", "hex", script).slice(0, 16)}.js`;
  await writeFile(at(name), script);
  put(whole, `<script${type} src="./${name}" integrity="sha384-${sum("sha384", "base64", script)}"></script>`);
}
await writeFile(at("index.html"), html);

const stamps = new Map([...programs.map((name) => [name, stamp]), ...katas.map((name) => [name, `v=${build}`])]);
const files = (await readdir(at("."), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !["index.html", "service-worker.js"].includes(entry.name))
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(at("/").length))
  .map((name) => (stamps.has(name) ? `${name}?${stamps.get(name)}` : name))
  .sort();
const keeper = await readFile(at("service-worker.js"), "utf8");
await writeFile(at("service-worker.js"), keeper.replace("BUILD_VERSION", build).replace('"BUILD_FILES"', JSON.stringify(files).slice(1, -1)));
