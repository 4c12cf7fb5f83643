// "Break it yourself": a level by keyboard alone and one by mouse, the search's attack, the level that can't be broken,
// and what is kept of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clean } from "./axe.mjs";
import { LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const KEPT = "leasehold:levels";
const { server, browser, opened } = await stage();

/** A level (or the list, without one), and what the tests look at in it. */
async function open(t, slug, options = {}) {
  const page = await opened(t, `#/break${slug ? `/${slug}` : ""}`, options);
  const board = {
    page,
    key: (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve()),
    places: page.locator(".place-name"),
    chips: page.locator(".chip"),
    options: page.locator(".option"),
    verdict: page.locator(".ruling h3"),
    says: (words) => page.locator(".ruling h3", { hasText: words }).waitFor({ timeout: LOAD_MS }),
    button: (name) => page.getByRole("button", { name }),
  };
  if (slug) await board.places.first().waitFor({ timeout: LOAD_MS });
  return board;
}

/** The level of one pause, broken by keyboard alone. */
async function win(board) {
  await board.key("Enter", "ArrowDown", "Enter");
  await board.says("Broken with 1 disturbance");
}

test("a level is broken by keyboard alone, and what was reached survives a reload", async (t) => {
  const board = await open(t, "one-pause");
  const { page } = board;
  assert.equal(await board.verdict.textContent(), "Not broken yet");
  // The level's name has the focus: the keys work at once.
  await win(board);
  assert.equal(await page.locator(".place-here .place-name:focus").count(), 1);
  assert.match(await page.locator(".ruling").textContent(), /No attack is shorter/);
  assert.match(await page.locator(".ruling-why").textContent(), /A lease ends by the service's clock/);
  assert.match(await page.locator(".player-now").textContent(), /B believes|holds/);
  await page.locator(".ruling-next").focus();
  await board.key("Enter");
  await page.getByRole("heading", { name: "2. The renewer sleeps too" }).waitFor();
  await page.reload();
  await page.locator(".dot-over").first().waitFor();
  await page.goto(`${server.url}#/break`);
  await page.locator(".levels-reached", { hasText: "Broken with 1 disturbance" }).waitFor();
  assert.match(await page.locator(".levels-count").textContent(), /^1 of \d+ done$/);
});

test("places are walked, opened and closed, and what is placed is taken away", async (t) => {
  const board = await open(t, "one-pause");
  const { page } = board;
  await board.key("n", "n", "p");
  const here = page.locator(".place-here .place-name");
  assert.equal(await here.textContent(), await board.places.nth(1).textContent());
  assert.equal(await page.locator(".code-line-now").count(), 1);
  await board.key("Enter");
  await board.options.first().waitFor();
  await board.key("Escape");
  assert.equal(await board.options.count(), 0);
  await board.key("Enter", "Enter");
  await board.chips.waitFor();
  await board.key("Delete");
  await board.chips.waitFor({ state: "detached" });
  assert.equal(await page.locator(".place-here .place-name:focus").count(), 1);
});

test("by mouse, in the picture: another option replaces the one that is placed, the cross takes it away", async (t) => {
  const board = await open(t, "one-pause");
  await board.page.locator(".spot").first().click();
  await board.options.first().click();
  const label = board.chips.locator("span").first();
  await label.waitFor();
  const before = await label.textContent();
  await board.places.first().click();
  await board.options.last().click();
  await board.page.waitForFunction((before) => document.querySelector(".chip span")?.textContent !== before, before);
  assert.equal(await board.chips.count(), 1);
  await board.page.locator(".chip-away").click();
  await board.chips.waitFor({ state: "detached" });
  await board.says("Not broken yet");
});

test("who gives up sees a shortest attack, steps through it and goes back", async (t) => {
  const board = await open(t, "the-silent-renewer");
  await board.button("I give up: is it possible?").click();
  await board.says("A shortest attack: 2 disturbances");
  assert.equal(await board.chips.count(), 2);
  const count = board.page.locator(".steps-count");
  const before = await count.textContent();
  await board.page.locator(".place-name").first().focus();
  await board.key("ArrowLeft");
  assert.notEqual(await count.textContent(), before);
  await board.button("Back to yours").click();
  await board.says("Not broken yet");
  assert.equal(await board.chips.count(), 0);
});

test("that the gate can't be broken is told with what was tried", async (t) => {
  const board = await open(t, "the-gate");
  await board.button("I give up: is it possible?").click();
  await board.says("It can't be broken");
  const ruling = await board.page.locator(".ruling").textContent();
  assert.match(ruling, /Every schedule with up to 2 disturbances was tried: [\d,]+ schedules/);
  assert.match(ruling, /Why it holds/);
  await board.page.goto(`${server.url}#/break`);
  await board.page.locator(".levels-reached", { hasText: "Can't be broken" }).waitFor();
});

test("a record that can't be read is set aside and told", async (t) => {
  const board = await open(t, "");
  await board.page.evaluate((key) => localStorage.setItem(key, "{damaged"), KEPT);
  await board.page.reload();
  await board.page.locator(".notice", { hasText: "set aside" }).waitFor();
  assert.equal(await board.page.evaluate((key) => localStorage.getItem(`${key}:aside-1`), KEPT), "{damaged");
});

test("an interpreter that can't be had is told, and tried again", async (t) => {
  server.broken.add("worker_bg.wasm");
  t.after(() => server.broken.clear());
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${server.url}#/break/one-pause`);
  await page.locator(".ruling", { hasText: "could not be had" }).waitFor();
  server.broken.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".place-name").first().waitFor({ timeout: LOAD_MS });
});

test("on a narrow screen levels can be read, and it is told what they are made for", async (t) => {
  const context = await browser.newContext({ viewport: { width: 700, height: 900 } });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(`${server.url}#/break/one-pause`);
  await page.getByText("made for a window at least 1024 pixels wide").waitFor();
  assert.equal(await page.locator(".attack-board").isVisible(), false);
  await clean(page, "a level, narrow");
  await page.goto(`${server.url}#/break`);
  await page.locator(".levels-line").first().waitFor();
  await clean(page, "the list, narrow");
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}`, async (t) => {
    const board = await open(t, "one-pause", { colorScheme });
    await clean(board.page, "before anything is placed");
    await board.key("Enter");
    await board.options.first().waitFor();
    await clean(board.page, "with an open place");
    await board.key("Escape");
    await win(board);
    await clean(board.page, "broken");
    await board.page.goto(`${server.url}#/break/the-tidy-client`);
    await board.says("Not broken yet");
    await board.button("Hint").click();
    await board.button("I give up: is it possible?").click();
    await board.says("A shortest attack");
    await clean(board.page, "with the search's attack");
    await board.page.goto(`${server.url}#/break`);
    await board.page.locator(".levels-reached").first().waitFor();
    await clean(board.page, "the list");
  });
}
