// Every Python file of every kata, found by looking: a kata that is added is covered without an edit.
import { readdir, readFile } from "node:fs/promises";

const EXERCISES = new URL("../../exercises/", import.meta.url);

/** `{kata, file, url, source}` of each, in a fixed order. `file` is its path below exercises/. */
export async function programs() {
  const found = [];
  for (const folder of await readdir(EXERCISES, { withFileTypes: true })) {
    const kata = folder.isDirectory() && folder.name.match(/^\d\d-(.+)$/)?.[1];
    if (!kata) continue;
    for (const name of await readdir(new URL(`${folder.name}/`, EXERCISES), { recursive: true })) {
      const file = `${folder.name}/${name}`;
      if (/^[^/]+\/(starter|solution|alt_[^/]*|wrong\/[^/]+)\.py$/.test(file)) found.push({ kata, file });
    }
  }
  found.sort((a, b) => (a.file < b.file ? -1 : 1));
  const read = async ({ kata, file }) => {
    const url = new URL(file, EXERCISES);
    return { kata, file, url, source: await readFile(url, "utf8") };
  };
  return Promise.all(found.map(read));
}
