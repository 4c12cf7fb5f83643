// The chapters without code and the contents in the built page: each opens, and its picture can be stepped by keyboard.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const EXERCISES = new URL("../../exercises/", import.meta.url);
const CHAPTERS = new URL("chapters/", EXERCISES);
const katas = (await readdir(EXERCISES)).filter((name) => /^\d/.test(name)).sort();
const chapters = (await readdir(CHAPTERS)).filter((name) => /^\d/.test(name)).sort();
const title = async (url) => /^title = "(.*)"$/m.exec(await readFile(url, "utf8"))[1];

const { server, opened: stageOpened } = await stage();

const opened = (t, address, viewport = WIDE) => stageOpened(t, address, { viewport });

for (const folder of chapters) {
  const slug = folder.slice(3);
  test(`${slug}: opens by its address, and its pictures can be stepped`, async (t) => {
    const page = await opened(t, `#/chapter/${slug}`);
    const name = await title(new URL(`${folder}/chapter.toml`, CHAPTERS));
    await page.getByRole("heading", { level: 1, name }).waitFor();
    assert.equal(await page.title(), `Leasehold: ${name}`);
    const asked = (await readFile(new URL(`${folder}/README.md`, CHAPTERS), "utf8")).match(/^!\[/gm).length;
    assert.equal(await page.locator("figure").count(), asked);
    for (const player of await page.locator(".player").all()) {
      const count = player.locator(".steps-count");
      const now = player.locator(".player-now");
      await player.focus();
      await page.keyboard.press("Home");
      assert.match(await count.textContent(), /^1 \/ \d+$/);
      const first = await now.textContent();
      await page.keyboard.press("ArrowRight");
      assert.match(await count.textContent(), /^2 \/ \d+$/);
      assert.notEqual(await now.textContent(), first);
      await page.keyboard.press("End");
      const [at, all] = (await count.textContent()).split(" / ");
      assert.equal(at, all);
      assert.ok(Number(all) > 3, "a story");
      assert.equal(await player.locator("text=your line").count(), 0, "there is no editor to go to");
      await player.getByText("The same as text").click();
      assert.equal(await player.locator("li:visible").count(), Number(all) + (await player.locator(".legend li").count()));
    }
  });
}

test("a picture whose words ask for the mistake opens without it, and shows it to whoever steps there", async (t) => {
  const page = await opened(t, "#/chapter/what-the-interviewer-asks");
  const figure = page.locator("figure", { has: page.locator(".player") }).first();
  const title = figure.locator(".player-title");
  await title.waitFor();
  const veil = () => figure.locator(".tl-veil").evaluate((veil) => getComputedStyle(veil).opacity);
  assert.match(await figure.locator(".steps-count").textContent(), /^1 \//);
  assert.match(await title.textContent(), /find it$/);
  assert.equal(await veil(), "1");
  assert.equal(await figure.locator(".message").isVisible(), false);
  await figure.locator(".player").focus();
  await page.keyboard.press("End");
  assert.match(await title.textContent(), /this rule is broken: a late release/);
  assert.equal(await figure.locator(".message").isVisible(), true);
  await page.keyboard.press("Home");
  assert.match(await title.textContent(), /this rule is broken/, "what was seen is no secret any more");
});

test("each way in the drawing of a handle is explained by keyboard, by pointer and as text", async (t) => {
  const page = await opened(t, "#/chapter/the-life-of-a-handle");
  const ways = page.locator(".way");
  const why = page.locator(".states-why");
  await ways.first().waitFor();
  assert.equal(await ways.count(), 5);
  const seen = new Set();
  await ways.first().focus();
  for (let i = 0; i < 5; i++) {
    if (i > 0) await page.keyboard.press("Tab");
    assert.equal(await ways.nth(i).getAttribute("aria-pressed"), "true");
    const name = await ways.nth(i).getAttribute("aria-label");
    assert.ok((await why.textContent()).startsWith(name), name);
    seen.add(await why.textContent());
  }
  assert.equal(seen.size, 5);
  await ways.nth(1).hover();
  assert.equal(await ways.nth(1).getAttribute("aria-pressed"), "true");
  await page.getByText("The same as text").click();
  assert.deepEqual(new Set(await page.locator(".states li").allTextContents()), seen);
});

test("the contents name everything in order, lead there, and every page leads to its neighbours", async (t) => {
  const page = await opened(t, "");
  await page.getByRole("link", { name: "Contents" }).click();
  await page.getByRole("heading", { level: 1, name: "Contents" }).waitFor();
  const links = page.locator(".contents li:not(.contents-tool) a");
  const listed = await links.allTextContents();
  const tomls = [
    ...katas.map((folder) => new URL(`${folder}/kata.toml`, EXERCISES)),
    ...chapters.map((folder) => new URL(`${folder}/chapter.toml`, CHAPTERS)),
  ];
  assert.deepEqual([...listed].sort(), (await Promise.all(tomls.map(title))).sort());
  await links.first().click();
  for (const [i, name] of listed.entries()) {
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    const turn = page.getByRole("navigation", { name: "Pages before and after" });
    assert.equal(await turn.getByRole("link", { name: /^← Previous/ }).count(), i > 0 ? 1 : 0);
    if (i + 1 < listed.length) await turn.getByRole("link", { name: /^Next/ }).click();
    else assert.equal(await turn.getByRole("link", { name: /^Next/ }).count(), 0);
  }
});

test("a picture is not drawn without its styles: that they can't be had is told, and they are tried again", async (t) => {
  server.broken.add("pictures.css");
  t.after(() => server.broken.clear());
  const page = await opened(t, "#/chapter/the-life-of-a-handle");
  await page.getByText("The picture could not be loaded").waitFor();
  assert.equal(await page.locator(".states").count(), 0);
  server.broken.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".states svg").waitFor();
  assert.equal(await page.locator("link[href*='pictures.css']").count(), 1);
});

test("on a narrow screen nothing runs over the edge", async (t) => {
  for (const width of [900, 480]) {
    for (const address of ["#/contents", ...chapters.map((folder) => `#/chapter/${folder.slice(3)}`)]) {
      const page = await opened(t, address, { width, height: 800 });
      await page.locator(".contents, .lede").waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${address} at ${width}: ${over} px`);
    }
  }
});

test("on paper a chapter is prose and whole pictures, dark on white, with nothing to press", async (t) => {
  const page = await stageOpened(t, "#/chapter/the-pause-that-renewal-cannot-fix", { until: ".player svg", colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  const seen = await page.evaluate(() => {
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility()).length;
    const box = document.querySelector(".player-box");
    const [ground, ink] = ["--sheet", "--ink"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name));
    return { buttons: shown("button, input, select"), links: shown(".top nav a, .turn a"), cut: box.scrollHeight - box.clientHeight, ground, ink };
  });
  assert.deepEqual(seen, { buttons: 0, links: 0, cut: 0, ground: "#ffffff", ink: "#000000" });
});
