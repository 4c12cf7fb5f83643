// What one has done stays: results, hints, the solution, two tabs, a full storage, export and import.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { KataPage, KEY, LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();

const exercise = (path) => readFile(new URL(`../../exercises/${path}`, import.meta.url), "utf8");
const starter = await exercise("01-acquire-with-fencing/starter.py");
const solution = await exercise("01-acquire-with-fencing/solution.py");

/** The hash of a starter in a record (FNV-1a, 64 bits). */
function fingerprint(text) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}

async function context(t, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  t.after(() => context.close());
  return context;
}

/** A page in a context; what the storage holds at first is an object of texts. */
async function open(t, { inside, hash = "", stored, ...options } = {}) {
  const around = inside ?? (await context(t, options));
  if (stored) {
    await around.addInitScript((stored) => {
      if (sessionStorage.seeded) return;
      sessionStorage.seeded = "1";
      for (const [key, text] of Object.entries(stored)) localStorage.setItem(key, text);
    }, stored);
  }
  const page = await KataPage.open(around, server.url + hash);
  t.after(() => assert.deepEqual(page.problems, []));
  return page;
}

const button = (page, name) => page.page.getByRole("button", { name, exact: true });
const record = async (page, key = KEY) => JSON.parse(await page.page.evaluate((key) => localStorage.getItem(key), key));
const keys = (page) => page.page.evaluate(() => Object.keys(localStorage).sort());
/** Waits until an element has the focus: it moves once the page is drawn. */
const focused = async (locator) => {
  const element = await locator.elementHandle();
  await locator.page().waitForFunction((element) => element.contains(document.activeElement), element);
  return true;
};
/** Waits until what is stored under a key is a record with this code: what one tab stores comes to another a moment later. */
const holds = (page, code, key = KEY) =>
  page.page.waitForFunction(([key, code]) => JSON.parse(localStorage.getItem(key) ?? "{}").code === code, [key, code]);
const inEditor = (page) => page.page.waitForFunction(() => document.activeElement?.matches(".cm-content"));

/** The progress in a record, by names. */
const progressOf = async (page, key = KEY) => {
  const [passed, of, solved_ms, attempts, hints, solution, seconds] = (await record(page, key)).progress;
  return { passed, of, solved_ms, attempts, hints, solution, seconds };
};
const numbers = ({ passed = 0, of = 0, solved_ms = 0, attempts = 0, hints = 0, solution = 0, seconds = 0 }) =>
  [passed, of, solved_ms, attempts, hints, solution, seconds];

/** Another page of the site on which nothing of the kata is mounted. */
const leave = async (page) => {
  await page.page.evaluate(() => (location.hash = "#/contents"));
  await page.page.locator(".contents").waitFor();
};

describe("the record of a kata", () => {
  test("counts runs and keeps the best result, over reloads", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.runByKey();
    const first = await progressOf(page);
    assert.ok(first.attempts === 1 && first.passed > 0 && first.passed < first.of && first.solved_ms === 0);
    await page.fill(solution);
    await page.runByKey();
    const solved = await progressOf(page);
    assert.ok(solved.attempts === 2 && solved.passed === solved.of && solved.solved_ms > 0);
    await page.fill("x = 1\n");
    await page.page.reload();
    await page.ready();
    await page.runByKey();
    const { version, code } = await record(page);
    const progress = await progressOf(page);
    assert.deepEqual([version, code], [2, "x = 1\n"]);
    assert.deepEqual([progress.passed, progress.attempts, progress.solved_ms], [solved.passed, 3, solved.solved_ms]);
  });

  test("of version 1 keeps its code and gets a progress", async (t) => {
    const old = JSON.stringify({ version: 1, starter_hash: fingerprint(starter), code: "mine = 1\n" });
    const page = await open(t, { stored: { [KEY]: old } });
    await page.ready();
    assert.equal(await page.code(), "mine = 1\n");
    assert.equal(await page.notice.count(), 0);
    await page.runByKey();
    const { version, code } = await record(page);
    assert.deepEqual([version, code, (await progressOf(page)).attempts], [2, "mine = 1\n", 1]);
  });

  test("of a later version is set aside and told", async (t) => {
    const later = '{"version":9,"files":[]}';
    const page = await open(t, { stored: { [KEY]: later } });
    assert.match(await page.notice.textContent(), /another version of this page.*set aside, not deleted/);
    await page.fill("mine = 1\n");
    assert.equal(await page.page.evaluate((key) => localStorage.getItem(`${key}:aside-1`), KEY), later);
  });

  test("counts time only while somebody does something", async (t) => {
    const around = await context(t);
    await around.clock.install();
    const page = await open(t, { inside: around });
    await page.editor.click();
    await page.page.keyboard.type("a");
    const before = (await progressOf(page)).seconds;
    const began = Date.now();
    await around.clock.fastForward(30_000);
    await page.page.keyboard.type("b");
    await around.clock.fastForward(3_600_000);
    await page.page.keyboard.type("c");
    await around.clock.fastForward(10_000);
    await page.page.keyboard.type("d");
    await leave(page);
    const counted = (await progressOf(page)).seconds - before;
    // 30 s, a break that counts for a minute, 10 s; and what the test itself took.
    assert.ok(counted >= 99 && counted <= 102 + (Date.now() - began) / 1000, `${counted}`);
  });
});

describe("a starter that has changed", () => {
  const stored = { [KEY]: JSON.stringify({ version: 2, revision: 4, starter_hash: "0", code: "mine = 1\n", progress: [] }) };

  test("is told until one of both is chosen: mine", async (t) => {
    const page = await open(t, { stored });
    assert.match(await page.notice.textContent(), /starter has changed since you began/);
    await page.fill("mine = 2\n");
    await page.page.reload();
    await button(page, "Keep my code").click();
    await page.notice.waitFor({ state: "detached" });
    await inEditor(page);
    assert.equal(await page.code(), "mine = 2\n");
    await page.page.reload();
    await page.editor.waitFor();
    assert.equal(await page.notice.count(), 0);
  });

  test("or the new one, and mine can be brought back", async (t) => {
    const page = await open(t, { stored });
    await button(page, "Begin from the new starter").click();
    assert.equal(await page.code(), starter);
    assert.equal(await page.notice.count(), 0);
    await button(page, "Bring my code back").click();
    await inEditor(page);
    assert.equal(await page.code(), "mine = 1\n");
  });

  test("that nobody touched is replaced without a word", async (t) => {
    const untouched = { version: 2, revision: 0, starter_hash: fingerprint("old\n"), code: "old\n", progress: [0, 0, 0, 2] };
    const page = await open(t, { stored: { [KEY]: JSON.stringify(untouched) } });
    await page.editor.waitFor();
    assert.equal(await page.code(), starter);
    assert.equal(await page.notice.count(), 0);
  });
});

describe("two tabs", () => {
  async function two(t) {
    const inside = await context(t);
    const one = await open(t, { inside });
    const other = await open(t, { inside });
    await one.ready();
    await other.ready();
    await one.fill("one = 1\n");
    await other.notice.waitFor();
    assert.match(await other.notice.textContent(), /Another tab or window has saved other code/);
    return { one, other };
  }

  test("what is typed meanwhile is not lost, and Keep mine saves over the other, which is set aside", async (t) => {
    const { one, other } = await two(t);
    await other.fill("other = 2\n");
    await holds(other, "other = 2\n", `${KEY}:aside-1`);
    assert.equal((await record(other)).code, "one = 1\n");
    await other.editor.press("End");
    await other.page.keyboard.type("#");
    const typed = await other.code();
    await holds(other, typed, `${KEY}:aside-1`);

    await button(other, "Keep mine").click();
    await other.notice.waitFor({ state: "detached" });
    await inEditor(other);
    await holds(one, typed);
    const aside = (await keys(other)).filter((key) => key.includes(":aside-"));
    assert.deepEqual(await Promise.all(aside.map(async (key) => (await record(other, key)).code)), ["one = 1\n"]);
    // Now the first one is told.
    await one.notice.waitFor();
    assert.equal(await one.code(), "one = 1\n");
  });

  test("Take that version takes it, and Bring my code back brings mine", async (t) => {
    const { other } = await two(t);
    await other.fill("other = 2\n");
    await button(other, "Take that version").click();
    assert.equal(await other.code(), "one = 1\n");
    assert.equal(await other.notice.count(), 0);
    await other.fill("one = 3\n");
    await holds(other, "one = 3\n");
    await button(other, "Bring my code back").click();
    assert.equal(await other.code(), "other = 2\n");
    await holds(other, "other = 2\n");
  });

  test("runs add up and hints open in both", async (t) => {
    const inside = await context(t);
    const one = await open(t, { inside });
    const other = await open(t, { inside });
    await one.ready();
    await other.ready();
    /** Waits until both tabs see so many runs. */
    const runs = async (n) => {
      for (const { page } of [one, other]) {
        await page.waitForFunction(([key, n]) => JSON.parse(localStorage.getItem(key)).progress[3] === n, [KEY, n]);
      }
    };
    await one.runByKey();
    await runs(1);
    await other.runByKey();
    await runs(2);
    await one.runByKey();
    await runs(3);
    await button(one, "Show hint 1 of 3").click();
    await button(other, "Show hint 2 of 3").waitFor();
    assert.equal(await other.notice.count(), 0);
  });
});

describe("a storage that takes nothing", () => {
  /** From now on every write fails. */
  const fill = (page) =>
    page.page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });

  test("is told once, and the code stays in the page", async (t) => {
    const page = await open(t);
    await fill(page);
    await page.fill("mine = 1\n");
    await page.notice.waitFor();
    assert.match(await page.notice.textContent(), /full, so your latest changes are not saved/);
    assert.match(await page.page.locator("#editor-keys").textContent(), /Your code is not being saved/);
    await button(page, "OK").click();
    await inEditor(page);
    await page.page.keyboard.press("End");
    await page.page.keyboard.type("#");
    assert.equal(await page.notice.count(), 0);
    assert.match(await page.code(), /^mine = 1\n?#/);
  });

  test("is told apart where only the progress is not noted", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.fill("mine = 1\n");
    await fill(page);
    await page.runByKey();
    assert.match(await page.notice.textContent(), /results, hints and time are not noted.*Your code is saved/);
    assert.match(await page.page.locator("#editor-keys").textContent(), /saved in this browser as you type/);
  });

  test("because it is blocked: hints, runs and the pages of progress work all the same", async (t) => {
    const around = await context(t);
    await around.addInitScript(() =>
      Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("no", "SecurityError"); } }),
    );
    const page = await open(t, { inside: around });
    await page.ready();
    await button(page, "Show hint 1 of 3").click();
    await page.fill(solution);
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All/);
    assert.equal(await page.notice.count(), 1);
    await page.page.goto(`${server.url}#/progress`);
    await page.page.getByText("lets the page store nothing").waitFor();
    await leave(page);
    assert.match(await page.page.locator(".contents-so-far").textContent(), /^0 of 13 katas solved/);
  });
});

describe("hints and the solution", () => {
  test("hints open one by one, never by a double click, and are open after a reload", async (t) => {
    const page = await open(t);
    const hints = page.page.locator(".hints li");
    await button(page, "Show hint 1 of 3").dblclick();
    assert.equal(await hints.count(), 1);
    assert.ok(await focused(hints.first()));
    // The key that opened one opens no other.
    await page.page.keyboard.press("Enter");
    assert.equal(await hints.count(), 1);
    await page.page.keyboard.press("Tab");
    await page.page.keyboard.press("Enter");
    assert.equal(await hints.count(), 2);
    await page.page.reload();
    await page.editor.waitFor();
    assert.equal(await hints.count(), 2);
    assert.equal((await progressOf(page)).hints, 2);
  });

  test("the solution comes after all hints and a question, as a difference, and goes in and out of the editor", async (t) => {
    const page = await open(t);
    const mine = starter.replace(/^ {8}return None$/m, "        return 1");
    await page.fill(mine);
    for (const n of [1, 2, 3]) {
      assert.equal(await button(page, "Show the solution").count(), 0);
      await button(page, `Show hint ${n} of 3`).click();
    }
    await button(page, "Show the solution").click();
    assert.ok(await focused(page.page.locator("#solution-question")));
    assert.equal((await progressOf(page)).solution, 0);
    await button(page, "Not yet").click();
    assert.ok(await focused(button(page, "Show the solution")));
    await button(page, "Show the solution").click();
    await button(page, "Show it").click();

    const dialog = page.page.getByRole("dialog", { name: "Your code beside the solution" });
    await dialog.locator(".difference-theirs").first().waitFor();
    assert.match(await dialog.locator(".difference-mine").first().textContent(), /only yours/);
    const only = async (side) => (await dialog.locator(`.difference-${side} code`).allTextContents()).map((line) => line.trim());
    assert.ok((await only("mine")).includes("return 1"));
    for (const line of (await only("theirs")).filter(Boolean)) assert.ok(solution.includes(line), line);
    assert.equal((await progressOf(page)).solution, 1);

    await page.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const again = button(page, "Show the solution again");
    assert.ok(await focused(again));
    await again.click();
    await button(page, "Put it into the editor").click();
    await dialog.waitFor({ state: "hidden" });
    await inEditor(page);
    assert.equal(await page.code(), solution);
    assert.equal((await record(page, `${KEY}:aside-1`)).code, mine);
    await page.page.keyboard.press("ControlOrMeta+z");
    assert.equal(await page.code(), mine);
    await page.page.keyboard.press("ControlOrMeta+y");
    await button(page, "Bring my code back").click();
    assert.equal(await page.code(), mine);
  });
});

describe("the way on", () => {
  test("a full pass leads to the next page and says how far one is", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.runByKey();
    assert.equal(await page.page.locator(".onward").count(), 0);
    await page.fill(solution);
    await page.runByKey();
    assert.match(await page.page.locator(".onward").textContent(), /^Next: .* →1 of 13 katas solved\.$/);
    await page.page.locator(".onward a").click();
    await page.page.locator(".turn-back").waitFor();
  });

  test("the contents show how each kata stands, and where to go on", async (t) => {
    const page = await open(t);
    await page.ready();
    await leave(page);
    const first = page.page.locator(".contents-kata").first();
    assert.match(await first.textContent(), /○ not begun/);
    assert.match(await page.page.locator(".contents-so-far").textContent(), /^0 of 13 katas solved\.Go on with “Acquire/);
    await page.page.goBack();
    await page.ready();
    await page.runByKey();
    await leave(page);
    assert.match(await first.textContent(), /◐ \d+ of \d+ tests/);
    await page.page.goBack();
    await page.ready();
    await page.fill(solution);
    await page.runByKey();
    await leave(page);
    assert.match(await first.textContent(), /✓ solved, \d+ tests/);
    assert.match(await page.page.locator(".contents-so-far").textContent(), /^1 of 13 katas solved\.Go on with “/);
    await page.page.getByRole("link", { name: "Your progress, export and import" }).click();
    await page.page.locator(".progress-table").waitFor();
  });

  test("bars between areas stand where they were put", async (t) => {
    const page = await open(t);
    const bar = page.page.getByRole("separator", { name: "Width of the chapter" });
    await bar.focus();
    await page.page.keyboard.press("ArrowLeft");
    const width = (await page.page.locator("#chapter").boundingBox()).width;
    await page.page.reload();
    await page.editor.waitFor();
    assert.equal(await bar.getAttribute("aria-valuenow"), "34");
    assert.equal((await page.page.locator("#chapter").boundingBox()).width, width);
  });

  test("after Reset the focus is where it can be taken back, and then in the code", async (t) => {
    const page = await open(t);
    await page.fill("mine = 1\n");
    await button(page, "Reset").focus();
    await page.page.keyboard.press("Enter");
    await page.page.waitForFunction(() => document.activeElement?.id === "undo");
    await page.page.keyboard.press("Enter");
    await inEditor(page);
    assert.equal(await page.code(), "mine = 1\n");
  });
});

describe("the progress page", () => {
  const gate = "leasehold:kata:storage-gate";
  const kept = (code, progress, revision = 3) =>
    JSON.stringify({ version: 2, revision, starter_hash: "0", code, progress: numbers(progress) });
  const solved = { passed: 9, of: 9, solved_ms: Date.UTC(2026, 2, 4, 12), attempts: 4, hints: 1, seconds: 1500 };

  async function progress(t, stored, options) {
    const page = await open(t, { hash: "#/progress", stored, ...options });
    await page.page.locator(".progress-table").waitFor();
    return page;
  }

  const status = (page) => page.page.locator(".progress-said");
  const choose = (page, text, name = "progress.json") =>
    page.page.getByLabel("Import a file:").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });

  /** The text of the file that a button saves, and its name. */
  async function saved(page, name) {
    const [download] = await Promise.all([page.page.waitForEvent("download"), button(page, name).click()]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  }

  test("lists all katas with result, runs, hints and time", async (t) => {
    const page = await progress(t, { [gate]: kept("x\n", solved) });
    const row = page.page.getByRole("row", { name: /^The storage gate/ });
    assert.deepEqual(await row.locator("td").allTextContents(), ["✓ solved, 9 tests", "2026-03-04", "4", "1", "25 min"]);
    assert.equal(await page.page.locator(".progress-table tbody tr").count(), 13);
    assert.match(await page.page.locator(".progress-table tfoot").textContent(), /1 of 13 katas solved/);
    await row.getByRole("link").click();
    await page.page.locator(".top-facts", { hasText: "Kata 2 " }).waitFor();
  });

  test("exports everything, and another browser imports it", async (t) => {
    const items = { [gate]: kept("mine = 1\n", solved), "leasehold:cards": '{"version":1}', other: "not ours" };
    const from = await progress(t, items);
    const { name, text } = await saved(from, "Export everything");
    assert.match(name, /^leasehold-progress-\d{4}-\d\d-\d\d\.json$/);
    const file = JSON.parse(text);
    assert.deepEqual([file.leasehold, file.version], ["progress", 1]);
    assert.deepEqual(Object.keys(file.items), ["leasehold:cards", gate]);

    const to = await progress(t);
    await choose(to, text);
    await to.page.getByText("New here: Question cards, The storage gate.").waitFor();
    assert.deepEqual(await keys(to), []);
    await button(to, "Bring it in").scrollIntoViewIfNeeded();
    const { x, y, width, height } = await button(to, "Bring it in").boundingBox();
    await button(to, "Bring it in").click();
    assert.equal(await status(to).textContent(), "The file was brought in. Nothing of yours was replaced.");
    assert.ok(await focused(to.page.locator(".progress-done")));
    // A second click in the same place does nothing.
    const below = ([x, y]) => document.elementFromPoint(x, y)?.closest("button")?.textContent ?? "nothing";
    assert.equal(await to.page.evaluate(below, [x + width / 2, y + height / 2]), "nothing");
    assert.equal(await to.page.evaluate((key) => localStorage.getItem(key), gate), items[gate]);
    await to.page.getByRole("link", { name: "The storage gate" }).click();
    await to.page.locator(".top-facts", { hasText: "Kata 2 " }).waitFor();
    assert.equal(await to.code(), "mine = 1\n");
  });

  test("asks where both differ, and sets aside what it replaces", async (t) => {
    const page = await progress(t, { [gate]: kept("here = 1\n", { attempts: 9 }) });
    const items = { [gate]: kept("file = 1\n", solved) };
    const text = JSON.stringify({ leasehold: "progress", version: 1, items });
    await choose(page, text);
    await page.page.getByText("1 entry differs").waitFor();
    await button(page, "Bring it in").click();
    // Mine stays, with the better result.
    const { passed, attempts } = await progressOf(page, gate);
    assert.deepEqual([(await record(page, gate)).code, passed, attempts], ["here = 1\n", 9, 9]);

    await choose(page, text);
    await page.page.getByLabel(/Take the file’s: The storage gate/).check();
    await button(page, "Bring it in").click();
    assert.equal(await status(page).textContent(), "The file was brought in. What it replaced is set aside below.");
    assert.equal((await record(page, gate)).code, "file = 1\n");
    assert.equal((await record(page, `${gate}:aside-1`)).code, "here = 1\n");

    const aside = await saved(page, "Download: The storage gate, set aside (1)");
    assert.equal(aside.text, "here = 1\n");
    await button(page, "Delete: The storage gate, set aside (1)").click();
    await button(page, "Yes, delete it").click();
    assert.deepEqual(await keys(page), [gate]);
  });

  test("tells of practice, and all columns of the table are seen where the window is narrow", async (t) => {
    const page = await progress(t, { "leasehold:practice:draft": '{"version":1,"rows":[]}' });
    await page.page.getByText("No session yet.").waitFor();
    assert.equal(await page.page.getByRole("link", { name: "To interview practice" }).getAttribute("href"), "#/practice");
    await page.page.setViewportSize({ width: 480, height: 800 });
    for (const cell of await page.page.locator(".progress-table tbody tr:first-child > *").all()) {
      const { x, width } = await cell.boundingBox();
      assert.ok(x >= 0 && x + width <= 480, `${await cell.textContent()}: ${x} + ${width}`);
    }
  });

  test("refuses a file that is damaged, foreign or of another version, and changes nothing", async (t) => {
    const page = await progress(t, { [gate]: kept("here = 1\n", solved) });
    const before = await page.page.evaluate(() => JSON.stringify(localStorage));
    for (const [text, said] of [
      ["{", /can’t be read|can't be read/],
      ['{"leasehold":"progress","version":1,"items":{"leasehold:a":1}}', /can't be read/],
      ['{"name":"package"}', /something else/],
      ['{"leasehold":"progress","version":7}', /another version/],
      [" ".repeat(13 * 1024 * 1024), /larger than any/],
    ]) {
      await choose(page, text);
      await status(page).filter({ hasText: said }).waitFor();
      assert.equal(await button(page, "Bring it in").count(), 0);
    }
    assert.equal(await page.page.evaluate(() => JSON.stringify(localStorage)), before);
  });

  test("erases everything of ours, after a question", async (t) => {
    const page = await progress(t, { [gate]: kept("x\n", solved), other: "stays" });
    await button(page, "Erase everything…").click();
    await button(page, "Keep everything").click();
    assert.equal((await keys(page)).length, 2);
    await button(page, "Erase everything…").click();
    await button(page, "Yes, erase everything").click();
    assert.match(await status(page).textContent(), /Everything is erased/);
    assert.deepEqual(await keys(page), ["other"]);
    assert.match(await page.page.locator(".progress-table tfoot").textContent(), /0 of 13/);
  });
});

test("a page whose record another tab erases keeps its code", async (t) => {
  const inside = await context(t);
  const page = await open(t, { inside });
  await page.ready();
  await page.fill("mine = 1\n");
  const other = await open(t, { inside, hash: "#/progress" });
  await button(other, "Erase everything…").click({ timeout: LOAD_MS });
  await button(other, "Yes, erase everything").click();
  await page.page.waitForTimeout(200);
  assert.equal(await page.code(), "mine = 1\n");
  await page.runByKey();
  assert.deepEqual([(await record(page)).code, (await progressOf(page)).attempts], ["mine = 1\n", 1]);
});
