// Every kata in the built page: its address opens it, its starter fails, its solution passes.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { KataPage, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const EXERCISES = new URL("../../exercises/", import.meta.url);
const folders = (await readdir(EXERCISES)).filter((name) => /^\d/.test(name)).sort();
const read = (folder, file) => readFile(new URL(`${folder}/${file}`, EXERCISES), "utf8");

const { server, browser } = await stage();

async function opened(t, address) {
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  return KataPage.open(context, `${server.url}${address}`);
}

for (const folder of folders) {
  const slug = folder.slice(3);
  test(`${slug}: opens by its address, the starter fails and the solution passes`, async (t) => {
    const page = await opened(t, `#/kata/${slug}`);
    const title = /^title = "(.*)"$/m.exec(await read(folder, "kata.toml"))[1];
    await page.page.getByRole("heading", { level: 1, name: title }).waitFor();
    assert.equal(await page.page.title(), `Leasehold: ${title}`);
    assert.match(await page.page.locator(".top-facts").textContent(), new RegExp(`^Kata ${Number(folder.slice(0, 2))} `));
    await page.ready();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^\d+ of \d+ tests passed/);
    await page.fill(await read(folder, "solution.py"));
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
    assert.deepEqual(page.problems, []);
  });
}

test("going from kata to kata loses no code, and Back goes back", async (t) => {
  const page = await opened(t, "");
  await page.ready();
  await page.fill("first = 1\n");
  const open = (kata) => page.page.locator(".top-facts", { hasText: `Kata ${kata} ` }).waitFor();
  await page.page.getByRole("link", { name: /^Next/ }).click();
  await open(2);
  await page.ready();
  assert.match(await page.code(), /class FencedStore/);
  await page.fill("second = 2\n");
  await page.page.goBack();
  await open(1);
  await page.ready();
  assert.match(await page.code(), /^first = 1/);
  await page.page.goForward();
  await open(2);
  await page.ready();
  assert.match(await page.code(), /^second = 2/);
});

/** The names in a kata's `api`. */
async function api(folder) {
  const names = /^api = \[(.*)\]$/m.exec(await read(folder, "kata.toml"))?.[1] ?? "";
  return [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
}

for (const folder of folders) {
  const names = await api(folder);
  const what = names.length > 0 ? "says what leasehold gives" : "has no panel: it imports nothing";
  test(`${folder.slice(3)}: ${what}`, async (t) => {
    const page = await opened(t, `#/kata/${folder.slice(3)}`);
    await page.editor.waitFor();
    const panel = page.page.locator("details.api");
    assert.equal(await panel.count(), names.length > 0 ? 1 : 0);
    if (names.length === 0) return;
    const said = await panel.locator("summary span").textContent();
    for (const name of names) assert.match(said, new RegExp(`\\b${name}\\b`));
    // By keyboard: the summary comes right before the editor.
    const region = panel.getByRole("region");
    assert.equal(await region.isVisible(), false);
    await panel.locator("summary").focus();
    await page.page.keyboard.press("Enter");
    await region.waitFor();
    await page.page.keyboard.press("Tab");
    assert.equal(await region.evaluate((element) => element === document.activeElement), true);
    const text = await region.innerText();
    for (const name of names) assert.match(text, new RegExp(`\\b${name}\\b`));
    assert.doesNotMatch(text, /\b_\w/);
    assert.ok((await page.editor.boundingBox()).height > 50, "the editor keeps its room");
  });
}

test("an address of no page says so and leads on", async (t) => {
  const page = await opened(t, "#/kata/no-such-kata");
  await page.page.getByText("There is no such page here").waitFor();
  await page.page.getByRole("link", { name: "the first kata" }).click();
  await page.page.getByRole("heading", { level: 1 }).waitFor();
  await page.ready();
});
