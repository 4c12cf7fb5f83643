// Every kata in the built page: its address opens it, its starter fails, its solution passes.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { KataPage, launch, serve, WIDE } from "./page.mjs";

const EXERCISES = new URL("../../exercises/", import.meta.url);
const folders = (await readdir(EXERCISES)).filter((name) => /^\d/.test(name)).sort();
const read = (folder, file) => readFile(new URL(`${folder}/${file}`, EXERCISES), "utf8");

let server;
let browser;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

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
    assert.equal(await page.page.locator(".katas a[aria-current=page]").getAttribute("aria-label"), `Kata ${Number(folder.slice(0, 2))}: ${title}`);
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
  await page.page.getByRole("link", { name: /^Kata 2:/ }).click();
  await page.page.locator(".katas a[aria-current=page]", { hasText: "2" }).waitFor();
  await page.ready();
  assert.match(await page.code(), /class FencedStore/);
  await page.fill("second = 2\n");
  await page.page.goBack();
  await page.page.locator(".katas a[aria-current=page]", { hasText: "1" }).waitFor();
  await page.ready();
  assert.match(await page.code(), /^first = 1/);
  await page.page.goForward();
  await page.page.locator(".katas a[aria-current=page]", { hasText: "2" }).waitFor();
  await page.ready();
  assert.match(await page.code(), /^second = 2/);
});

test("an address of no kata says so and leads on", async (t) => {
  const page = await opened(t, "#/kata/no-such-kata");
  await page.page.getByText("There is no such kata here").waitFor();
  await page.page.getByRole("link", { name: "the first kata" }).click();
  await page.page.getByRole("heading", { level: 1 }).waitFor();
  await page.ready();
});
