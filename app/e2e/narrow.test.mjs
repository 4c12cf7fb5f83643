// Narrow windows, and a wide screen at a zoom of 200 %, which is a window of 720 by 450: everything can be done there too, in one
// column, and nothing runs over the edge.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clean } from "./axe.mjs";
import { KataPage, LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const ZOOMED = { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 };
const NARROW = { viewport: { width: 480, height: 800 } };
const { server, browser, opened } = await stage();

/** A kata's page in such a window. */
async function open(t, options) {
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await KataPage.open(context, server.url);
  t.after(() => assert.deepEqual(page.problems, []));
  return page;
}

const asks = (page) => page.page.getByRole("button", { name: "Open the editor all the same" });
/** By how many pixels the page is wider than its window. */
const over = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
/** Whether an element, or the part of it that fits, is in the window. */
const isSeen = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= -1 && (bottom <= innerHeight + 1 || top < innerHeight / 2);
  });

for (const colorScheme of ["light", "dark"]) {
  for (const window of [ZOOMED, NARROW]) {
    const { width, height } = window.viewport;
    test(`a kata is solved at ${width} by ${height}, ${colorScheme}`, async (t) => {
      const page = await open(t, { ...window, colorScheme });
      assert.equal(await page.editor.isVisible(), false);
      await clean(page.page, "before it is asked for");
      await asks(page).press("Enter");
      await page.ready();
      assert.equal(await asks(page).count(), 0);
      assert.equal(await page.page.locator(".cm-content:focus").count(), 1, "one can type at once");
      assert.ok(await isSeen(page.page.locator("#code")));
      assert.equal(await page.page.locator(".splitter:visible").count(), 0);
      assert.equal(await over(page.page), 0);

      await page.runByKey();
      assert.match(await page.verdict.textContent(), /of \d+ tests passed/);
      await page.page.locator(".player").waitFor({ timeout: LOAD_MS });
      assert.ok(await isSeen(page.page.locator(".test[aria-current]")), "what came of it comes into sight");
      assert.equal(await over(page.page), 0);
      await clean(page.page, "after a run that fails");

      await page.typeRightLines();
      await page.runByKey();
      assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
      assert.equal(await over(page.page), 0);
      await clean(page.page, "after a run that passes");
    });
  }
}

test("who zooms in keeps the editor, the code and the verdict, and who zooms out has the wide page", async (t) => {
  const page = await open(t, { viewport: WIDE });
  await page.ready();
  await page.fill("mine = 1\n");
  await page.runByKey();
  await page.page.setViewportSize(ZOOMED.viewport);
  assert.equal(await asks(page).count(), 0);
  assert.ok(await page.editor.isVisible());
  assert.ok(await page.verdict.isVisible());
  await page.fill("mine = 2\n");
  await page.runByKey();
  await page.page.setViewportSize(WIDE);
  assert.equal(await page.page.locator(".splitter:visible").count(), 2);
  assert.equal(await page.code(), "mine = 2\n");
});

test("a story is stepped through where it stands, though its lines are marked in the editor above", async (t) => {
  const page = await open(t, ZOOMED);
  await asks(page).click();
  await page.ready();
  await page.runByKey();
  const player = page.page.locator(".player");
  await player.waitFor({ timeout: LOAD_MS });
  await player.focus();
  await page.page.keyboard.press("Home");
  for (let step = 0; step < 4; step++) {
    await page.page.keyboard.press("ArrowRight");
    await page.page.waitForTimeout(100);
    assert.ok(await isSeen(page.page.locator(".tl-now-edge")), `step ${step}`);
  }
  assert.equal(await page.page.locator(".cm-step-line").count(), 1);
});

test("from chapter, editor and results one goes to the others by what stays in sight", async (t) => {
  const page = await open(t, NARROW);
  await asks(page).click();
  for (const [name, place] of [
    ["To the chapter", "#chapter"],
    ["To the results", "#results"],
    ["To the editor", ".cm-content"],
  ]) {
    const link = page.page.getByRole("link", { name });
    assert.ok(await isSeen(link), name);
    await link.click();
    assert.equal(await page.page.locator(`${place}:focus`).count(), 1, place);
    const begins = page.page.locator(place === ".cm-content" ? "#code" : place);
    assert.ok(await isSeen(begins), name);
    const bar = await page.page.locator(".skips").boundingBox();
    assert.ok((await begins.boundingBox()).y >= bar.height - 1, `${name}: the links hide none of it`);
  }
});

test("a session of practice is begun, written and ended", async (t) => {
  const page = await opened(t, "#/practice", { ...NARROW, until: ".practice" });
  await page.getByLabel("warm-up").check();
  await page.getByRole("button", { name: "Draw a kata" }).click();
  await page.getByRole("button", { name: "Start the clock" }).click();
  await page.locator(".seat-clock").waitFor({ timeout: LOAD_MS });
  const kata = new KataPage(page);
  await asks(kata).click();
  await kata.ready();
  await page.keyboard.type("# mine");
  await kata.runByKey();
  assert.match(await kata.verdict.textContent(), /tests passed|did not load/);
  assert.equal(await over(page), 0);
  await clean(page, "a session");
  await page.getByRole("button", { name: "On to the questions…" }).click();
  await page.getByRole("button", { name: "End it" }).click();
  await page.locator(".card h2").waitFor({ timeout: LOAD_MS });
});

test("a level is played", async (t) => {
  for (const window of [ZOOMED, NARROW]) {
    const page = await opened(t, "#/break/one-pause", window);
    await page.getByRole("button", { name: "Play all the same" }).click();
    await page.locator(".place-name").first().waitFor({ timeout: LOAD_MS });
    assert.equal(await page.locator(".attack h2:focus").count(), 1);
    for (const key of ["Enter", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await page.locator(".ruling h3", { hasText: "Broken with 1 disturbance" }).waitFor({ timeout: LOAD_MS });
    assert.equal(await over(page), 0);
    await clean(page, `at ${window.viewport.width}`);
  }
});

test("nothing runs over the edge, whatever is open", async (t) => {
  for (const window of [ZOOMED, NARROW]) {
    for (const [address, place] of [
      ["", ".needs-width"],
      ["#/kata/renewal-daemon", ".needs-width"],
      ["#/contents", ".contents"],
      ["#/chapter/the-life-of-a-handle", ".states svg"],
      ["#/chapter/what-the-interviewer-asks", ".player"],
      ["#/museum", ".contents"],
      ["#/museum/losses-unheard", ".player"],
      ["#/practice", ".practice-start"],
      ["#/practice/cards", ".practice h2"],
      ["#/progress", ".progress-table"],
      ["#/break", ".levels-line"],
      ["#/ttl", ".ttl-bar"],
      ["#/shared/nothing", ".shared-trouble"],
    ]) {
      const page = await opened(t, address, { ...window, until: place });
      assert.equal(await over(page), 0, `${address} at ${window.viewport.width}`);
      for (const name of ["Search", "Settings"]) {
        await page.getByRole("button", { name, exact: true }).click();
        const dialog = page.locator("dialog[open]");
        await dialog.locator("live-picture > *").first().waitFor();
        const { x, y, width, height } = await dialog.boundingBox();
        assert.ok(x >= 0 && y >= 0 && x + width <= window.viewport.width && y + height <= window.viewport.height, name);
        await page.keyboard.press("Escape");
      }
      await page.context().close();
    }
  }
});
