// Interview practice: from the draw through runs, the end and the questions to the report; what a reload, a pause, the limit
// of runs, another window and damaged records do. Time is the test's own: nobody waits for minutes here.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { clean } from "./axe.mjs";
import { KataPage, KEY, LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();
const [NOW, PAST, CARDS] = ["leasehold:practice:now", "leasehold:practice", "leasehold:cards"];
/** The record of a session when there is none. */
const NONE = { version: 1, rows: [] };
const NOON = new Date("2026-11-30T12:00:00Z");
const DAY = 86_400_000;

/** A page at an address, with a clock of its own and draws that always take the first. */
async function open(t, hash = "#/practice", { stored = {}, ...options } = {}) {
  const context = await browser.newContext({ viewport: WIDE, timezoneId: "UTC", permissions: ["clipboard-read", "clipboard-write"], ...options });
  t.after(() => context.close());
  await context.clock.install({ time: NOON });
  await context.addInitScript(() => (Math.random = () => 0));
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  t.after(() => assert.deepEqual(problems, []));
  if (Object.keys(stored).length > 0) {
    await page.goto(`${server.url}icon.svg`);
    await page.evaluate((stored) => Object.entries(stored).forEach(([key, text]) => localStorage.setItem(key, text)), stored);
  }
  await page.goto(`${server.url}${hash}`);
  await page.locator(".practice, .seat-clock").first().waitFor({ timeout: LOAD_MS });
  return page;
}

const button = (page, name) => page.getByRole("button", { name });
const stored = (page, key) => page.evaluate((key) => JSON.parse(localStorage.getItem(key)), key);
/** The rows of a record of practice that are of this sort, without its name. */
const rows = async (page, key, sort) => (await stored(page, key)).rows.filter(([first]) => first === sort).map(([, ...row]) => row);

/** From the first page into a session with the first kata. */
async function begin(page, { limited = false } = {}) {
  await page.getByLabel("warm-up").check();
  if (limited) await page.getByLabel(/once a minute/).check();
  await button(page, "Draw a kata").click();
  await page.getByRole("heading", { name: "Acquire with a fencing token" }).waitFor();
  await button(page, "Start the clock").click();
  await page.locator(".seat-clock").waitFor({ timeout: LOAD_MS });
  const kata = new KataPage(page);
  await kata.editor.waitFor();
  return kata;
}

async function end(page) {
  await button(page, "On to the questions…").click();
  await button(page, "End it").click();
  await page.locator(".card h2").waitFor({ timeout: LOAD_MS });
}

test("the whole way: draw, write, run, end, questions, report", async (t) => {
  const page = await open(t);
  const kata = await begin(page);
  assert.match(await page.locator(".seat-clock").textContent(), /^2[45]:\d\d left of 25 min$/);
  assert.equal(await page.getByText("Stuck?").count(), 0);
  assert.equal(await page.locator(".chapter h2").count(), 0);
  assert.match(await kata.code(), /class LockManager/);
  await kata.ready();
  await kata.runByKey();
  // With a timeline and without a way to the solution.
  await button(page, "Compare").click();
  assert.equal(await button(page, /the solution/).count(), 0);
  await page.clock.fastForward("10:00");
  await end(page);

  // By keyboard: the question has the focus.
  assert.match(page.url(), /#\/practice\/after\/\d+$/);
  const questions = Number(/of (\d+)/.exec(await page.locator(".card-page").textContent())[1]);
  assert.equal(questions, 6);
  await page.getByRole("textbox").fill("The pause falls <b>between</b> check and write.\n# no heading 1 2 3");
  await page.locator(".card h2").focus();
  await page.keyboard.press("Space");
  await page.locator(".card-good li").first().waitFor();
  await page.keyboard.press("2");
  await page.locator(".card-page", { hasText: "Card 2 of 6" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H2");
  assert.equal(await page.getByRole("textbox").inputValue(), "");
  // What was typed and not graded survives a reload; what was graded is not asked again.
  await page.getByRole("textbox").fill("half an answer");
  await page.reload();
  await page.locator(".card-page", { hasText: "Card 1 of 5" }).waitFor({ timeout: LOAD_MS });
  assert.equal(await page.getByRole("textbox").inputValue(), "half an answer");
  for (let left = 5; left > 0; left--) {
    await page.locator(".card h2").focus();
    await page.keyboard.press("Enter");
    await page.locator(".card-good").waitFor();
    await page.keyboard.press("3");
    if (left > 1) await page.locator(".card-page", { hasText: `Card ${7 - left} of 5` }).waitFor();
  }
  // The last grade can be changed too, before one goes on.
  await button(page, "Take that back").click();
  await page.locator(".card-good").waitFor();
  await page.keyboard.press("3");
  await page.getByRole("heading", { name: "That was the last one" }).waitFor();
  await page.getByRole("link", { name: "To the report" }).click();

  const report = page.locator(".practice-report");
  await report.waitFor({ timeout: LOAD_MS });
  assert.match(page.url(), /#\/practice\/report\/\d+$/);
  await button(page, "well").click();
  await button(page, "Copy").click();
  await page.getByText("The report is copied.").waitFor();
  const text = await report.textContent();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  for (const line of [
    /^# Interview practice: Acquire with a fencing token$/m,
    /^- Date: 2026-11-30, 12:0\d$/m,
    /^- Time used: 10 min.* of 25 min$/m,
    /^- My own grade: well$/m,
    /^- after \d:\d\d: \d+ of 16 tests passed$/m,
    /^> The pause falls \\<b\\>between\\<\/b\\> check and write\.$/m,
    /^> \\# no heading 1 2 3$/m,
    /^> half an answer$/m,
    /^A good answer holds:$/m,
    /\/#\/kata\/acquire-with-fencing\/questions\)\. My own grade: partly\.$/m,
  ]) {
    assert.match(text, line);
  }
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save as a file").click()]);
  assert.equal(download.suggestedFilename(), "leasehold-practice-2026-11-30-acquire-with-fencing.md");
  assert.equal(await readFile(await download.path(), "utf8"), text);

  // The link leads to the run.
  const link = /\[timeline\]\(([^)]+)\)/.exec(text)[1];
  await page.goto(link);
  await button(page, /Run this schedule|Run the tests on it/).waitFor({ timeout: LOAD_MS });

  await page.goto(`${server.url}#/practice`);
  await page.locator(".practice-past li", { hasText: "my grade: well" }).waitFor();
  assert.equal((await stored(page, CARDS)).rows.length, 6);
  assert.deepEqual(await stored(page, NOW), NONE);
});

test("what has passed in a session leads to its questions, and not out of it with the clock going", async (t) => {
  const page = await open(t);
  const kata = await begin(page);
  assert.match(await page.locator(".no-results").textContent(), /^Nothing has run since this page was opened\. Run Tests/);
  await kata.fill(await readFile(new URL("../../exercises/01-acquire-with-fencing/solution.py", import.meta.url), "utf8"));
  await kata.ready();
  await kata.runByKey();
  assert.match(await page.locator(".onward").textContent(), /^Next: the questions\. That ends the coding part →/);
  // What was stored is told after a reload.
  await page.reload();
  await page.locator(".no-results", { hasText: "Best so far: 16 of 16" }).waitFor({ timeout: LOAD_MS });
  const again = new KataPage(page);
  await again.ready();
  await again.runByKey();
  await page.locator(".onward a").click();
  await page.locator(".card h2").waitFor({ timeout: LOAD_MS });
  assert.match(page.url(), /#\/practice\/after\/\d+$/);
  assert.deepEqual(await stored(page, NOW), NONE);
});

test("what spoils an unsolved kata is not drawn, nor what takes more than twice the time", async (t) => {
  const page = await open(t);
  await page.evaluate(() => (Math.random = () => 0.999));
  await page.getByLabel("warm-up").check();
  await button(page, "Draw a kata").click();
  await page.getByRole("heading", { name: "Compare, then delete" }).waitFor();
  await page.getByLabel("hard").check();
  await button(page, "Draw a kata").click();
  await page.getByRole("heading", { name: "A lock of many nodes" }).waitFor();
});

test("a reload in the middle loses neither time nor code, and a pause stops the clock until one types", async (t) => {
  const page = await open(t);
  let kata = await begin(page);
  await kata.fill("x = 1\n");
  await page.clock.fastForward("05:00");
  await page.reload();
  kata = new KataPage(page);
  await page.locator(".seat-clock", { hasText: /^(19|20):\d\d left/ }).waitFor({ timeout: LOAD_MS });
  await kata.editor.waitFor();
  assert.equal(await kata.code(), "x = 1\n");
  await button(page, "Pause").click();
  await page.locator(".seat-clock", { hasText: "paused" }).waitFor();
  await page.clock.fastForward("01:00:00");
  await page.reload();
  await page.locator(".seat-clock", { hasText: /^(19|20):\d\d left.*paused/ }).waitFor({ timeout: LOAD_MS });
  await new KataPage(page).fill("x = 2\n");
  await button(page, "Pause").waitFor();
  const [[, , , pausedMs, , paused, , , , pauses]] = await rows(page, NOW, "session");
  assert.deepEqual([paused, pauses], ["0", "1"]);
  assert.ok(Number(pausedMs) >= 3_600_000, pausedMs);
  assert.deepEqual(await rows(page, NOW, "code"), [["x = 2\n"]]);
});

test("the time is told three times, and over time it is still possible to write", async (t) => {
  const page = await open(t);
  const kata = await begin(page);
  const said = page.locator(".seat-strip .announcement");
  assert.equal(await said.textContent(), "");
  await page.clock.fastForward("20:30");
  await said.filter({ hasText: "5 minutes left" }).waitFor({ state: "attached" });
  await page.clock.fastForward("04:00");
  await said.filter({ hasText: "1 minute left" }).waitFor({ state: "attached" });
  await page.clock.fastForward("02:00");
  await said.filter({ hasText: "The time is over" }).waitFor({ state: "attached" });
  await page.locator(".seat-clock", { hasText: /^1:\d\d over/ }).waitFor();
  await kata.fill("late = True\n");
  await end(page);
  await page.getByRole("link", { name: "Leave the rest" }).click();
  const report = page.locator(".practice-report");
  await report.waitFor({ timeout: LOAD_MS });
  assert.match(await report.textContent(), /of 25 min, 1 min.* over/);
  assert.match(await report.textContent(), /```python\nlate = True\n```/);
});

test("once a minute: a run too soon is told of, not made, and the strip counts", async (t) => {
  const page = await open(t);
  const kata = await begin(page, { limited: true });
  await page.getByText("Run Tests may be pressed.").waitFor();
  await kata.ready();
  await kata.runByKey();
  await page.locator(".seat-strip", { hasText: /Run Tests again in \d+ s/ }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".notice", { hasText: /The next run is possible in \d+ s\./ }).waitFor();
  assert.match(await page.locator("p.announcement").first().textContent(), /The next run is possible in/);
  assert.equal((await rows(page, NOW, "run")).length, 1);
  // A reload is no way round.
  await page.reload();
  const again = new KataPage(page);
  await again.editor.waitFor();
  await again.ready();
  await again.run.click();
  await page.locator(".notice", { hasText: "The next run is possible in" }).waitFor();
  await page.clock.fastForward("01:01");
  await page.getByText("Run Tests may be pressed.").waitFor();
  await page.locator(".notice").waitFor({ state: "detached" });
  await again.runByKey();
  assert.equal((await rows(page, NOW, "run")).length, 2);
});

test("the learner's own code of the kata is neither shown nor touched", async (t) => {
  const own = "mine = True\n";
  const page = await open(t, "#/practice");
  await page.goto(`${server.url}#`);
  let kata = new KataPage(page);
  await kata.editor.waitFor();
  await kata.fill(own);
  const before = (await stored(page, KEY)).code;
  assert.equal(before, own);
  await page.goto(`${server.url}#/practice`);
  await button(page, "Draw a kata").waitFor({ timeout: LOAD_MS });
  kata = await begin(page);
  assert.match(await kata.code(), /class LockManager/);
  await kata.fill("other = True\n");
  await button(page, "Reset").click();
  assert.equal((await stored(page, KEY)).code, own);
  // Meanwhile the kata's own page is as ever, and the session waits.
  await page.goto(`${server.url}#/kata/acquire-with-fencing`);
  await page.locator(".chapter .prose").waitFor();
  assert.equal(await new KataPage(page).code(), own);
  await page.goto(`${server.url}#/practice`);
  await page.getByRole("heading", { name: "A session is under way" }).waitFor({ timeout: LOAD_MS });
  await button(page, "Discard…").click();
  await button(page, "Discard it").click();
  await page.getByRole("heading", { name: "Start a session" }).waitFor();
  assert.deepEqual(await stored(page, NOW), NONE);
  assert.equal((await stored(page, KEY)).code, own);
});

test("a session that was ended in another window is told of", async (t) => {
  const page = await open(t);
  const kata = await begin(page);
  const other = await page.context().newPage();
  await other.goto(`${server.url}#/practice`);
  await button(other, "Discard…").click();
  await button(other, "Discard it").click();
  await other.getByRole("heading", { name: "Start a session" }).waitFor();
  await kata.fill("x = 1\n");
  await page.locator(".notice", { hasText: "has ended" }).waitFor();
  await page.locator(".seat", { hasText: "This session is over" }).waitFor();
  assert.deepEqual(await stored(page, NOW), NONE);
});

test("records that can't be read are set aside and told, and practice goes on", async (t) => {
  const page = await open(t, "#/practice", { stored: { [NOW]: "{damaged", [PAST]: '{"version":9}', [CARDS]: "[1]" } });
  await page.locator(".notice", { hasText: "set aside" }).waitFor();
  for (const [key, text] of [[NOW, "{damaged"], [PAST, '{"version":9}'], [CARDS, "[1]"]]) {
    assert.equal(await page.evaluate((key) => localStorage.getItem(`${key}:aside-1`), key), text);
  }
  await begin(page);
  await end(page);
  assert.equal((await rows(page, PAST, "session")).length, 1);
});

test("storage that takes nothing is told, and nothing is begun", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await button(page, "Draw a kata").click();
  await button(page, "Start the clock").click();
  await page.locator(".notice", { hasText: "Nothing was begun" }).waitFor();
  await page.getByRole("link", { name: "To the cards" }).click();
  await button(page, /Meet 5 new ones/).click();
  await button(page, "Show what a good answer says").click();
  await button(page, /Well/).click();
  await page.locator(".notice", { hasText: "stored neither" }).waitFor();
  await page.locator(".card-page", { hasText: "Card 2 of 5" }).waitFor();
});

test("cards without a session: new ones, keys that type in the field, and days until they come again", async (t) => {
  const page = await open(t, "#/practice/cards");
  await page.getByRole("heading", { name: "No card is due" }).waitFor({ timeout: LOAD_MS });
  assert.match(await page.locator(".practice").textContent(), /9\d of 9\d cards are new/);
  await button(page, "Meet 5 new ones").click();
  await page.getByRole("textbox").pressSequentially("1 2 3");
  assert.equal(await page.getByRole("textbox").inputValue(), "1 2 3");
  assert.equal(await page.locator(".card-good").count(), 0);
  await button(page, "Show what a good answer says").press("Enter");
  await page.locator(".card-good").waitFor();
  for (const when of [/Missed.*again tomorrow/, /Partly.*again in 2 days/, /Well.*again in 3 days/]) {
    assert.equal(await button(page, when).count(), 1);
  }
  await page.keyboard.press("3");
  await page.locator(".card-page", { hasText: "Card 2 of 5" }).waitFor();
  await page.keyboard.press("Space");
  await page.keyboard.press("1");
  await page.locator(".card-page", { hasText: "Card 3 of 5" }).waitFor();
  // Until the next grade it can be taken back: the card is as it was.
  await button(page, "Take that back").click();
  await page.locator(".card-page", { hasText: "Card 2 of 5" }).waitFor();
  assert.equal((await stored(page, CARDS)).rows.length, 1);
  await page.locator(".card-good").waitFor();
  await page.keyboard.press("1");
  await page.locator(".card-page", { hasText: "Card 3 of 5" }).waitFor();
  await page.clock.fastForward(DAY);
  await page.goto(`${server.url}#/practice`);
  assert.equal(await page.locator(".practice-due").textContent(), "1 card is due.");
  await page.clock.fastForward(3 * DAY);
  await page.getByRole("link", { name: "Go through them" }).click();
  await page.locator(".card-page", { hasText: "Card 1 of 2" }).waitFor({ timeout: LOAD_MS });
});

test("questions that can't be had are told, and tried again", async (t) => {
  server.broken.add("katas/storage-gate.kata");
  t.after(() => server.broken.clear());
  const page = await open(t, "#/practice/cards");
  await page.locator(".notice", { hasText: "Some pages could not be loaded" }).waitFor({ timeout: LOAD_MS });
  await page.goto(`${server.url}#/practice/report/7`);
  await page.getByText("There is no such session in this browser").waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}`, async (t) => {
    const page = await open(t, "#/practice", { colorScheme });
    await button(page, "Draw a kata").click();
    await clean(page, "a drawn kata");
    await button(page, "Start the clock").click();
    await page.locator(".seat-clock").waitFor({ timeout: LOAD_MS });
    await button(page, "On to the questions…").click();
    await clean(page, "a session");
    await button(page, "End it").click();
    await button(page, "Show what a good answer says").click({ timeout: LOAD_MS });
    await clean(page, "an open card");
    await page.getByRole("link", { name: "Leave the rest" }).click();
    await page.locator(".practice-report").waitFor();
    await clean(page, "a report");
    await page.setViewportSize({ width: 480, height: 800 });
    await page.goto(`${server.url}#/practice`);
    await page.locator(".practice-past li").waitFor();
    await clean(page, "where one begins, narrow");
  });
}
