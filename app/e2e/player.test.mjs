// The timeline's player: by keyboard, by mouse, as text, and taken along.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { KataPage, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();
const wrong = await readFile(new URL("../../exercises/01-acquire-with-fencing/wrong/takeover_keeps_the_old_token.py", import.meta.url), "utf8");
const STALE = "A stale write after takeover is rejected";

/** A page whose file lets a stale write through, at the timeline of that. */
async function opened(t, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  t.after(() => context.close());
  const page = await KataPage.open(context, server.url);
  await page.ready();
  await page.fill(wrong);
  await page.runByKey();
  await page.page.getByRole("button", { name: STALE }).click();
  await page.page.locator(".player").waitFor();
  return new Player(page, context);
}

class Player {
  constructor(page, context) {
    this.page = page.page;
    this.context = context;
    this.problems = page.problems;
    this.place = this.page.locator(".player");
    this.count = this.page.locator(".steps-count");
    this.now = this.page.locator(".player-now");
    this.changes = this.page.locator(".player-changes");
    this.slider = this.page.getByRole("slider", { name: "Event" });
    this.speed = this.page.getByRole("combobox", { name: "Speed" });
    this.says = this.page.locator(".carry-says");
  }

  async at() {
    return Number((await this.count.textContent()).split(" / ")[0]);
  }

  async all() {
    return Number((await this.count.textContent()).split(" / ")[1]);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  until(step) {
    return this.page.waitForFunction((step) => document.querySelector(".steps-count").textContent.startsWith(`${step} /`), step);
  }
}

test("opens where it breaks, with that row in sight and the verdict still above", async (t) => {
  const player = await opened(t);
  assert.equal(await player.page.locator(".tl-band-bad").count(), 1);
  assert.match(await player.page.locator(".player-title").textContent(), /^At .* this rule is broken: a stale write after takeover is rejected$/);
  assert.equal(await player.page.locator(".detail").evaluate((detail) => detail.scrollTop), 0);
  const [row, box] = await player.page.evaluate(() =>
    [".tl-now-edge", ".player-box"].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()),
  );
  assert.ok(row.top >= box.top && row.bottom <= Math.min(box.bottom, WIDE.height), "the row is in its box and in the window");
  const first = await player.at();
  await player.place.focus();
  await player.press("Home", "b");
  assert.equal(await player.at(), first);
});

test("is played by keyboard, faster and slower, and stops at the end or when one steps", async (t) => {
  const player = await opened(t);
  const all = await player.all();
  await player.place.focus();
  await player.press("Home");
  assert.equal(await player.speed.inputValue(), "1×");
  await player.press("+", "+", "+");
  assert.equal(await player.speed.inputValue(), "4×");
  await player.press("-");
  assert.equal(await player.speed.inputValue(), "2×");
  await player.press("+", "Space");
  const pause = player.page.getByRole("button", { name: "Pause (Space)" });
  await pause.waitFor();
  await player.until(3);
  await player.press("Home");
  await player.page.getByRole("button", { name: "Play (Space)" }).waitFor();
  assert.equal(await player.at(), 1);
  await player.press("Space");
  await player.until(all);
  await player.page.getByRole("button", { name: "Play (Space)" }).waitFor();
  // From its end it plays again from its start.
  await player.press("Space");
  await player.until(2);
  await player.press("Space");
  await player.page.getByRole("button", { name: "Play (Space)" }).waitFor();
});

test("keys belong to the button or field that has the focus", async (t) => {
  const player = await opened(t);
  const back = player.page.getByRole("button", { name: /^Back/ });
  const first = await player.at();
  await back.focus();
  await player.press("Space");
  assert.equal(await player.at(), first - 1, "Space presses the button");
  assert.equal(await player.page.getByRole("button", { name: "Pause (Space)" }).count(), 0);
  await player.press("ArrowLeft");
  assert.equal(await player.at(), first - 2, "arrows step from a button, too");
  await player.speed.focus();
  await player.press("b");
  assert.equal(await player.at(), first - 2);
});

test("the slider goes to any event and says which", async (t) => {
  const player = await opened(t);
  await player.slider.focus();
  await player.press("Home");
  assert.equal(await player.at(), 1);
  assert.match(await player.slider.getAttribute("aria-valuetext"), /^0 s: A asks for/);
  await player.press("ArrowRight");
  assert.equal(await player.at(), 2);
  assert.match(await player.slider.getAttribute("aria-valuetext"), /^0 s: A is granted/);
  await player.press("End");
  assert.equal(await player.at(), await player.all());
  const { x, y, width, height } = await player.slider.boundingBox();
  await player.page.mouse.click(x + width / 2, y + height / 2);
  const middle = await player.at();
  assert.ok(middle > 1 && middle < (await player.all()));
});

test("each step says what became otherwise, and which line acted", async (t) => {
  const player = await opened(t);
  await player.place.focus();
  await player.press("Home");
  assert.match(await player.changes.textContent(), /^No lease/);
  await player.press("ArrowRight");
  const changes = await player.changes.textContent();
  assert.match(changes, /lock service: free → A \(token \d+, until .* s\)/);
  assert.match(changes, /A believes: it holds nothing → it holds/);
  const line = Number((await player.now.getByRole("button", { name: /^your line/ }).textContent()).match(/\d+/)[0]);
  assert.equal(await player.now.locator("code").textContent(), wrong.split("\n")[line - 1].trim());
  await player.page.getByText("Everything known at this step").click();
  assert.match(await player.page.locator(".known .known-new").first().textContent(), /^A \(token/);
});

test("is copied as text and as a Mermaid diagram, and says so", async (t) => {
  const player = await opened(t, { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => player.page.evaluate(() => navigator.clipboard.readText());
  await player.page.getByRole("button", { name: "Copy as text" }).click();
  await player.says.filter({ hasText: "Copied the text." }).waitFor();
  assert.match(await copied(), /^At .* this rule is broken: .*\n\n.*0 s +A asks for/);
  await player.page.getByRole("button", { name: "Copy as Mermaid" }).click();
  await player.says.filter({ hasText: "Copied the Mermaid diagram." }).waitFor();
  const diagram = await copied();
  assert.match(diagram, /^sequenceDiagram\n/);
  assert.match(diagram, /participant c0 as A\n/);
  assert.match(diagram, /c0->>s0: 0 s · A asks for/);
  assert.match(diagram, /✗ here it breaks/);
});

test("what the clipboard refuses is there to be copied by hand", async (t) => {
  const player = await opened(t);
  await player.page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
  });
  await player.page.getByRole("button", { name: "Copy as text" }).click();
  await player.says.filter({ hasText: "did not let" }).waitFor();
  assert.match(await player.page.getByRole("textbox", { name: "What was to be copied" }).inputValue(), /A asks for/);
});

for (const colorScheme of ["light", "dark"]) {
  test(`the picture can be downloaded and needs nothing else, ${colorScheme}`, async (t) => {
    const player = await opened(t, { colorScheme });
    const coming = player.page.waitForEvent("download");
    await player.page.getByRole("button", { name: "Download SVG" }).click();
    const download = await coming;
    assert.equal(download.suggestedFilename(), "leasehold-a-stale-write-after-takeover-is-rejected.svg");
    const svg = await readFile(await download.path(), "utf8");
    const seen = await player.page.evaluate((svg) => {
      const drawing = new DOMParser().parseFromString(svg, "image/svg+xml");
      return {
        root: drawing.documentElement.localName,
        title: drawing.querySelector("title")?.textContent,
        text: drawing.querySelector("desc")?.textContent,
        style: drawing.querySelector("style")?.textContent,
        now: drawing.querySelectorAll(".tl-now-edge, .tl-veil").length,
        words: [...drawing.querySelectorAll("text, tspan")].map((text) => text.textContent),
        outside: [...drawing.querySelectorAll("*")].filter((element) =>
          [...element.attributes].some(({ name, value }) => /href|src/.test(name) || (/url\(/.test(value) && !/url\("?#/.test(value))),
        ).length,
      };
    }, svg);
    assert.equal(seen.root, "svg");
    assert.match(seen.title, /^At .* this rule is broken/);
    assert.match(seen.text, /A asks for/);
    assert.equal(seen.now, 0);
    assert.equal(seen.outside, 0);
    assert.ok(seen.words.includes("A") && seen.words.includes("B"), "the lanes' names are there");
    assert.match(seen.style, /\.tl-lease/);
    assert.doesNotMatch(seen.style, /var\(|https?:|@import/);
    const ground = svg.match(/<rect [^>]*fill="(#\w+)"/)[1];
    assert.equal(parseInt(ground.slice(1, 3), 16) > 128, colorScheme === "light", "the theme's ground");
    await player.page.setContent(svg);
    assert.ok((await player.page.locator("svg").first().boundingBox()).height > 100);
    assert.deepEqual(player.problems, []);
  });
}

test("nothing plays by itself, and steps move nothing slowly where motion is not wanted", async (t) => {
  const player = await opened(t, { reducedMotion: "reduce" });
  const first = await player.at();
  await player.page.waitForTimeout(2_500);
  assert.equal(await player.at(), first);
  const moving = await player.page.evaluate(() => document.getAnimations().length);
  assert.equal(moving, 0);
  const smooth = await player.page.locator(".player-box").evaluate((box) => getComputedStyle(box).scrollBehavior);
  assert.equal(smooth, "auto");
  // Asked for, it plays; a step is a jump.
  await player.place.focus();
  await player.press("Home", "+", "+", "Space");
  await player.until(3);
});

test("a chapter's story opens where it matters and leaves the page where it is", async (t) => {
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  const page = await KataPage.open(context, `${server.url}#/chapter/the-pause-that-renewal-cannot-fix`);
  await page.page.locator(".player").first().waitFor();
  assert.equal(await page.page.locator(".sheet").evaluate((sheet) => sheet.scrollTop), 0);
  assert.deepEqual(page.problems, []);
});
