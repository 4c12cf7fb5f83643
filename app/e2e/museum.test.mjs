// The museum of real bugs in the built page: its contents lead to every card, each card shows a run that can be stepped, and
// leads to its report and to that run.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const EXERCISES = new URL("../../exercises/", import.meta.url);
const MUSEUM = new URL("museum/", EXERCISES);
const katas = (await readdir(EXERCISES)).filter((name) => /^\d/.test(name));

/** What the source says of a card: its id, and the kata, program and test of its picture. */
async function cards(folder) {
  const text = await readFile(new URL(`${folder}/README.md`, MUSEUM), "utf8");
  return text.split("\n## ").slice(1).map((card) => {
    const [, id] = /\{#([a-z-]+)\}/.exec(card);
    const [, kata, file, test] = /\(trace:([^/]+)\/(.+)\/(\w+)\)/.exec(card);
    return { id, kata, file, test };
  });
}

const pages = await Promise.all(
  (await readdir(MUSEUM)).sort().map(async (folder) => ({ slug: folder.slice(3), cards: await cards(folder) })),
);

const { opened: stageOpened } = await stage();

const opened = (t, address, viewport = WIDE) => stageOpened(t, address, { viewport, reducedMotion: "reduce" });

/** What an address of a shared run holds. */
function unpacked(address) {
  const [, data] = /^#\/shared\/1\/([\w-]+)$/.exec(address);
  return JSON.parse(inflateRawSync(Buffer.from(data, "base64url").subarray(4)));
}

test("the book's contents lead to the museum, and its contents to every page and card by keyboard", async (t) => {
  const page = await opened(t, "#/contents");
  await page.getByRole("link", { name: "Museum of real bugs" }).click();
  await page.getByRole("heading", { level: 1, name: "Museum of real bugs" }).waitFor();
  assert.equal(await page.title(), "Leasehold: Museum of real bugs");
  const links = page.locator(".contents a");
  const listed = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  const expected = pages.flatMap(({ slug, cards }) => [
    `#/museum/${slug}`,
    ...cards.map(({ id }) => `#/museum/${slug}/${id}`),
  ]);
  assert.deepEqual(listed, expected);
  assert.ok((await page.locator(".contents-card").count()) >= 20);

  const last = pages[1].cards.at(-1).id;
  const link = page.locator(`.contents a[href="#/museum/${pages[1].slug}/${last}"]`);
  const name = await link.textContent();
  await link.focus();
  await page.keyboard.press("Enter");
  const heading = page.getByRole("heading", { level: 2, name });
  await heading.waitFor();
  await page.waitForFunction((id) => document.activeElement?.id === id, last);
  await page.locator(".player").nth(pages[1].cards.length - 1).waitFor();
  await page.waitForTimeout(300);
  const { y } = await heading.boundingBox();
  assert.ok(y >= 0 && y < WIDE.height / 2, `it stays in view while the pictures above it come: ${y}`);
});

for (const { slug, cards } of pages) {
  test(`${slug}: each card shows its run, and leads to it and to the report`, async (t) => {
    const page = await opened(t, `#/museum/${slug}`);
    await page.locator(".player").nth(cards.length - 1).waitFor();
    assert.equal(await page.locator("h2").count(), cards.length);
    assert.equal(await page.locator("figure .message").count(), cards.length, "every run breaks a rule, in words");
    for (const player of await page.locator(".player").all()) {
      await player.focus();
      await page.keyboard.press("Home");
      await player.locator(".steps-count", { hasText: /^1 \/ \d+$/ }).first().waitFor();
      await page.keyboard.press("End");
      const [at, all] = (await player.locator(".steps-count").first().textContent()).split(" / ");
      assert.equal(at, all);
    }
    const away = page.locator('.prose a[href^="https:"]');
    const reports = await away.evaluateAll((all) => all.map(({ href, rel, target }) => ({ href, rel, target })));
    assert.equal(reports.length, cards.length);
    for (const { href, rel, target } of reports) {
      assert.match(href, /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(issues|pull)\/\d+$/);
      assert.deepEqual([rel, target], ["noreferrer", ""]);
    }
    const own = page.getByRole("link", { name: "Try it" });
    const runs = await own.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.equal(runs.length, cards.length);
    for (const [i, { id, kata, file, test }] of cards.entries()) {
      const folder = katas.find((name) => name.slice(3) === kata);
      const { replay, ...shared } = unpacked(runs[i]);
      // Without what its first lines say to our own tests.
      const code = (await readFile(new URL(`${folder}/${file}`, EXERCISES), "utf8")).replace(/^(#.*\n)+\n*/, "");
      assert.deepEqual(shared, { kata, code, test, from: `#/museum/${slug}/${id}` });
      assert.match(replay, /^[\w-]+$/);
    }
  });
}

test("a card's code opens, and runs to the same end", async (t) => {
  const page = await opened(t, `#/museum/${pages[0].slug}`);
  const message = await page.locator("figure .message").first().textContent();
  await page.getByRole("link", { name: "Try it" }).first().click();
  await page.getByRole("heading", { level: 1, name: "A shared run" }).waitFor();
  await page.getByRole("button", { name: /^Run / }).click({ timeout: LOAD_MS });
  await page.locator(".player").waitFor({ timeout: LOAD_MS });
  await page.getByText(message).first().waitFor();
});

test("a card's code goes into the kata's editor, one's own comes back, and a way leads back to the card", async (t) => {
  const { slug, cards: [{ id, kata }] } = pages[0];
  const page = await opened(t, `#/kata/${kata}`);
  const code = () => page.evaluate(() => document.querySelector("#code code-editor").text);
  await page.locator("#code .cm-content").fill("mine = 1\n");
  await page.evaluate((hash) => (location.hash = hash), `#/museum/${slug}`);
  await page.getByRole("link", { name: "Try it" }).first().click();
  await page.getByRole("button", { name: "Try it in the editor" }).click({ timeout: LOAD_MS });
  await page.getByRole("button", { name: "Bring my code back" }).waitFor({ timeout: LOAD_MS });
  assert.match(await code(), /^(?!#)[^]*class LockManager/);
  assert.ok(await page.evaluate(() => Object.keys(localStorage).some((key) => key.includes(":aside-"))));
  await page.getByRole("button", { name: "Bring my code back" }).click();
  assert.equal(await code(), "mine = 1\n");
  await page.goBack();
  await page.getByRole("link", { name: /Back to the card/ }).click({ timeout: LOAD_MS });
  await page.waitForURL((url) => url.hash === `#/museum/${slug}/${id}`);
});

test("the pages follow each other, from the contents on", async (t) => {
  const page = await opened(t, `#/museum/${pages.at(-1).slug}`);
  const turn = page.getByRole("navigation", { name: "Pages before and after" });
  assert.equal(await turn.getByRole("link", { name: /^Next/ }).count(), 0);
  for (const { slug } of pages.slice(0, -1).reverse()) {
    await turn.getByRole("link", { name: /^← Previous/ }).click();
    await page.waitForURL((url) => url.hash === `#/museum/${slug}`);
    await page.locator("h2").first().waitFor();
  }
  await turn.getByRole("link", { name: /^← Previous/ }).click();
  await page.locator(".contents-card").first().waitFor();
});

test("on a narrow screen nothing runs over the edge", async (t) => {
  for (const width of [900, 480]) {
    for (const address of ["#/museum", ...pages.map(({ slug }) => `#/museum/${slug}`)]) {
      const page = await opened(t, address, { width, height: 800 });
      await page.locator(".contents, .player >> nth=0").first().waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${address} at ${width}: ${over} px`);
    }
  }
});
