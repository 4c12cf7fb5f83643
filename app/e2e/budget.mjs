// Prints what the built page weighs over the wire, and fails above the bounds. Run: DIST=dist node app/e2e/budget.mjs
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const PAGE_BYTES = 300_000;
const ALL_BYTES = 3_500_000;

const dist = process.env.DIST ?? "dist";
const compress = promisify(brotliCompress);

const names = (await readdir(dist, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(join(dist, "/").length));

const weighed = await Promise.all(
  names.map(async (name) => {
    const bytes = await readFile(join(dist, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return { name, raw: bytes.length, brotli: (await compress(bytes, { params })).length, later: /^(worker|pictures|service-worker|katas\/)/.test(name) };
  }),
);

const sum = (files) => files.reduce((total, file) => total + file.brotli, 0);
// What must be there before the first keystroke. The first kata is in the page; of the others, and of the chapters, one comes
// at a time, when it is opened; what draws pictures comes when the page is there and the browser has nothing else to do.
const page = sum(weighed.filter((file) => !file.later));
const all = sum(weighed);

for (const { name, raw, brotli } of weighed.sort((a, b) => b.brotli - a.brotli)) {
  console.log(`${String(brotli).padStart(9)}  ${String(raw).padStart(9)} raw  ${name}`);
}
console.log(`${String(page).padStart(9)}  page, before interpreter and pictures (bound ${PAGE_BYTES})`);
console.log(`${String(all).padStart(9)}  all (bound ${ALL_BYTES})`);
if (page > PAGE_BYTES || all > ALL_BYTES) {
  console.error("over the budget");
  process.exit(1);
}
