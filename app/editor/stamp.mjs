// Finishes the build's worker: takes the function names out of the interpreter (5 MB that only a debugger reads), lets it
// make the runs that chapters show, and writes into the page which worker belongs to it: a hash of its files, and how
// many bytes the interpreter has once it is unpacked (a compressed answer's Content-Length does not tell).
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
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

const names = ["worker-boot.js", "worker.js", "worker_bg.wasm", "pictures.js", "pictures_bg.wasm"];
const files = await Promise.all(names.map((name) => readFile(at(name))));
const hash = createHash("sha256");
for (const file of files) hash.update(file);
const stamp = `v=${hash.digest("hex").slice(0, 16)}&amp;bytes=${files[2].length}`;

const html = await readFile(at("index.html"), "utf8");
if (!html.includes("WORKER_STAMP")) throw new Error("index.html has no place for the worker's stamp");
await writeFile(at("index.html"), html.replace("WORKER_STAMP", stamp));
