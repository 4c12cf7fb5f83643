// The life of a handle beside a run: it follows the steps, counts the ways taken, and shows the one that no handle may take.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { clean } from "./axe.mjs";
import { KataPage, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const wrong = await readFile(
  new URL("../../exercises/05-renewal-daemon/wrong/the_answer_renews_on.py", import.meta.url),
  "utf8",
);
const { server, browser } = await stage();

/** Kata 5 after a run of a renewer that a late answer revives, at the test that shows it. */
async function revived(t, colorScheme = "light") {
  const context = await browser.newContext({ viewport: WIDE, colorScheme });
  t.after(() => context.close());
  const kata = await KataPage.open(context, `${server.url}#/kata/renewal-daemon`);
  await kata.editor.waitFor();
  await kata.ready();
  await kata.fill(wrong);
  await kata.runByKey();
  await kata.page.getByRole("button", { name: /A late success does not revive it/ }).click();
  await kata.page.locator(".life").waitFor();
  t.after(() => assert.deepEqual(kata.problems, []));
  return kata.page;
}

test("it follows the steps, and a way leads by keyboard to where it was taken", async (t) => {
  const page = await revived(t);
  const told = page.locator(".life-told");
  const now = page.locator(".life .state-now");
  await page.locator(".player").focus();
  await page.keyboard.press("Home");
  assert.match(await told.textContent(), /^It is acquiring/);
  await page.keyboard.press("b");
  assert.match(await told.textContent(), /^It is held.*From lost to held: no handle may go there/);
  assert.equal(await now.textContent(), "held");
  const way = (name) => page.locator(".life").getByRole("button", { name });
  assert.match(await way(/^lost to held, which no handle may: taken once/).textContent(), /✗ \d/);
  assert.ok(await page.locator(".way-forbidden").evaluate((g) => getComputedStyle(g.querySelector(".way-line")).strokeDasharray !== "none"));
  await way(/^held to lost/).focus();
  await page.keyboard.press("Enter");
  assert.match(await told.textContent(), /^It is lost: /);
  assert.match(await page.locator(".player-now").textContent(), /from held to lost/);
  await way(/^held to held/).focus();
  await page.keyboard.press("Enter");
  assert.match(await told.textContent(), /^It is held/);
  assert.match(await way(/^held to held/).getAttribute("aria-label"), /taken once/);
  assert.match(await way(/^lost to held/).getAttribute("aria-label"), /taken none/);
});

test("a run without handles has no such drawing", async (t) => {
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  const kata = await KataPage.open(context, server.url);
  await kata.ready();
  await kata.runByKey();
  await kata.page.locator(".player").waitFor();
  assert.equal(await kata.page.locator(".life").count(), 0);
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}`, async (t) => {
    const page = await revived(t, colorScheme);
    for (const key of ["b", "Home"]) {
      await page.locator(".player").focus();
      await page.keyboard.press(key);
      await clean(page, key);
    }
  });
}
