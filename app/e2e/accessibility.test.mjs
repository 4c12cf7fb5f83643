// axe-core finds nothing, in light and dark: on a kata before a run, after one that fails and after one that passes; on
// chapters, in the museum, on the contents, and with dialogs open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clean } from "./axe.mjs";
import { KataPage, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();

for (const colorScheme of ["light", "dark"]) {
  test(`a wide page, ${colorScheme}`, async (t) => {
    const context = await browser.newContext({ viewport: WIDE, colorScheme });
    t.after(() => context.close());
    const page = await KataPage.open(context, server.url);
    await page.ready();
    await clean(page.page, "before a run");
    await page.runByKey();
    await clean(page.page, "after a run that fails");
    await page.page.getByText("The same as text").click();
    await page.page.getByRole("button", { name: "Show hint 1 of 3" }).click();
    await page.typeRightLines();
    await clean(page.page, "after an edit");
    await page.runByKey();
    await clean(page.page, "after a run that passes");
    await page.page.getByRole("button", { name: /No short schedule breaks it/ }).click();
    const deeper = page.page.locator(".deeper button");
    await deeper.click();
    await page.page.locator(".deeper button", { hasText: "up to 6" }).waitFor();
    await clean(page.page, "after a deeper search");
    await deeper.click();
    await clean(page.page, "during a search");
    await page.fill("class LockManager:\n    def acquire(self\n");
    await page.runByKey();
    await clean(page.page, "after a file that does not load");
  });

  test(`a kata with a panel of what it imports, ${colorScheme}`, async (t) => {
    const context = await browser.newContext({ viewport: WIDE, colorScheme });
    t.after(() => context.close());
    const page = await KataPage.open(context, `${server.url}#/kata/renewal-daemon`);
    await page.editor.waitFor();
    await clean(page.page, "with the panel closed");
    await page.page.locator(".api summary").click();
    await clean(page.page, "with the panel open");
  });

  for (const [address, place] of [
    ["#/contents", ".contents"],
    ["#/chapter/the-life-of-a-handle", ".states"],
    ["#/chapter/the-pause-that-renewal-cannot-fix", ".player"],
    ["#/chapter/what-the-interviewer-asks", ".player"],
    ["#/museum", ".contents"],
    ["#/progress", ".progress-table"],
    ["#/museum/losses-unheard", ".player >> nth=4"],
  ]) {
    test(`${address}, ${colorScheme}`, async (t) => {
      for (const viewport of [WIDE, { width: 480, height: 800 }]) {
        const context = await browser.newContext({ viewport, colorScheme });
        t.after(() => context.close());
        const page = await KataPage.open(context, `${server.url}${address}`);
        await page.page.locator(place).waitFor();
        await clean(page.page, `at ${viewport.width}`);
        for (const more of await page.page.getByText("The same as text").all()) await more.click();
        await clean(page.page, `at ${viewport.width}, with its text`);
      }
    });
  }

  test(`dialogs, ${colorScheme}, also where that is not the system's theme`, async (t) => {
    for (const [system, viewport] of [
      [colorScheme, WIDE],
      [colorScheme === "dark" ? "light" : "dark", { width: 480, height: 800 }],
    ]) {
      // Without motion no colour is on its way from one theme to the other.
      const context = await browser.newContext({ viewport, colorScheme: system, reducedMotion: "reduce" });
      t.after(() => context.close());
      const page = await KataPage.open(context, `${server.url}#/kata/renewal-daemon`);
      await page.page.getByRole("button", { name: "Settings" }).click();
      await page.page.getByRole("radio", { name: colorScheme === "dark" ? "Dark" : "Light" }).check();
      await clean(page.page, "settings and keys");
      await page.page.keyboard.press("Escape");
      await page.page.getByRole("button", { name: "Search" }).click();
      const field = page.page.getByRole("combobox", { name: "Words to look for" });
      await field.waitFor();
      await clean(page.page, "an empty search");
      await field.fill("lease");
      await page.page.getByRole("option").first().waitFor();
      await clean(page.page, "a search with places found");
    }
  });

  test(`the solution beside one's own code, ${colorScheme}`, async (t) => {
    const context = await browser.newContext({ viewport: WIDE, colorScheme });
    t.after(() => context.close());
    const page = await KataPage.open(context, server.url);
    await page.editor.waitFor();
    for (const name of [/^Show hint 1/, /^Show hint 2/, /^Show hint 3/, "Show the solution"]) {
      await page.page.getByRole("button", { name }).click();
    }
    await clean(page.page, "when it is asked whether to show it");
    await page.page.getByRole("button", { name: "Show it" }).click();
    await page.page.locator(".difference-theirs").first().waitFor();
    await clean(page.page, "with the solution shown");
  });

  test(`a narrow page, ${colorScheme}`, async (t) => {
    const context = await browser.newContext({ viewport: { width: 700, height: 900 }, colorScheme });
    t.after(() => context.close());
    await clean((await KataPage.open(context, server.url)).page, "narrow");
  });
}
