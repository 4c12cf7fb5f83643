// The main job, in the built page: read, fail, type, pass; and what may go wrong on the way.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KataPage, KEY, serve, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();

/** Opens the page in a browser that has never seen it. */
async function open(t, { viewport = WIDE, url = server.url, storage } = {}) {
  const context = await browser.newContext({ viewport });
  t.after(() => context.close());
  if (storage) await context.addInitScript(storage);
  const page = await KataPage.open(context, url);
  t.after(() => assert.deepEqual(page.problems, []));
  return page;
}

const LOOP = `class LockManager:
    def __init__(self, clock):
        self.n = 0

    def acquire(self, name, client_id, ttl):
        while True:
            self.n += 1

    def release(self, name, client_id):
        return False
`;

describe("solving the kata", () => {
  test("the starter fails, the right lines pass, and they are there after a reload without having run", async (t) => {
    const page = await open(t);
    await page.ready();
    assert.equal(await page.verdict.count(), 0);
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^\d+ of \d+ tests passed/);
    assert.ok((await page.page.locator(".icon-failed").count()) > 0);

    await page.typeRightLines();
    const typed = await page.code();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
    assert.match(await page.page.locator(".announcement").textContent(), /^All \d+ tests passed/);
    assert.match(await page.page.locator(".verdict").textContent(), /Every schedule of up to \d+ operations was tried/);
    assert.match(await page.page.locator(".detail h3").textContent(), /A stale write after takeover is rejected/);
    assert.ok((await page.page.locator(".diagram-body .tl-rejected").count()) === 1);

    await page.page.reload();
    await page.ready();
    assert.equal(await page.code(), typed);
    await page.page.waitForTimeout(300);
    assert.equal(await page.verdict.count(), 0);
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
  });

  test("Run Tests pressed while the interpreter loads is seen to wait, and runs", async (t) => {
    const own = await serve();
    t.after(() => own.close());
    let release;
    own.held.set("worker_bg.wasm", new Promise((go) => (release = go)));
    const page = await open(t, { url: own.url });
    await page.run.click();
    await page.page.locator(".run-label", { hasText: "Will run when ready" }).waitFor();
    const progress = page.page.getByRole("progressbar", { name: "Loading the Python interpreter" });
    await page.page.waitForFunction((bar) => bar.value > 40 && bar.value < 60, await progress.elementHandle());
    release();
    await page.reported(0);
    assert.match(await page.verdict.textContent(), /tests passed/);
  });

  test("the shortcut works outside the editor and types nothing inside it", async (t) => {
    const page = await open(t);
    await page.ready();
    const before = await page.code();
    await page.page.locator("#chapter").focus();
    await page.runByKey();
    await page.editor.click();
    await page.runByKey();
    assert.equal(await page.runs(), 2);
    assert.equal(await page.code(), before);
  });

  test("a Mac is shown its own keys, and they run", async (t) => {
    const page = await open(t, {
      storage: () => Object.defineProperty(navigator, "platform", { get: () => "MacIntel" }),
    });
    await page.ready();
    assert.match(await page.run.textContent(), /⌘↩/);
    await page.editor.click();
    await page.page.keyboard.press("Meta+Enter");
    await page.reported(0);
  });

  test("the first failure is open, and its line is a button that leads there", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.runByKey();
    const line = page.page.getByRole("button", { name: /^Go to your line \d+$/ });
    const number = Number((await line.textContent()).match(/\d+/)[0]);
    await line.click();
    assert.equal(await page.page.locator(".cm-activeLineGutter.cm-gutterElement", { hasText: String(number) }).count(), 1);
    assert.ok(await page.editor.evaluate((editor) => editor === document.activeElement));
    assert.equal(await page.page.locator(".cm-problem-line").count(), 1);
  });

  test("what the code prints is shown in a section of its own", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.fill('print("hello from the file")\n');
    await page.runByKey();
    await page.page.getByRole("button", { name: "Printed by your code" }).click();
    assert.match(await page.page.locator(".output").textContent(), /hello from the file/);
  });
});

describe("code that goes wrong", () => {
  test("an endless loop is stopped, and the next run works", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.fill(LOOP);
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /tests passed/);
    assert.ok((await page.page.locator(".icon-stopped").count()) > 0);
    assert.match(await page.page.locator(".cm-problem-line").textContent(), /while True|self\.n/);

    await page.page.getByRole("button", { name: "Reset" }).click();
    await page.typeRightLines();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All/);
  });

  test("a syntax error is shown at its line", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.fill("class LockManager:\n    def acquire(self\n        return None\n");
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^Your file did not load/);
    const line = page.page.getByRole("button", { name: /^Go to your line \d+$/ });
    assert.match(await line.textContent(), /line [23]$/);
    assert.equal(await page.page.locator(".cm-problem-line").count(), 1);
    assert.equal(await page.page.locator(".cm-lint-marker-error").count(), 1);
  });

  test("an interpreter that dies is replaced, with a word, and the code stays", async (t) => {
    // The page's worker is wrapped so that the first run ends it.
    const page = await open(t, {
      storage: () => {
        const Real = window.Worker;
        let first = true;
        window.Worker = class extends Real {
          postMessage(message) {
            if (!first) return super.postMessage(message);
            first = false;
            const { id } = JSON.parse(message);
            const data = JSON.stringify({ type: "crashed", id, message: "unreachable" });
            setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
          }
        };
      },
    });
    await page.ready();
    await page.fill("x = 1\n");
    await page.page.keyboard.press("Control+Enter");
    await page.notice.waitFor();
    assert.match(await page.notice.textContent(), /The run ended the interpreter \(unreachable\).*your code is untouched/);
    assert.equal(await page.code(), "x = 1\n");
    await page.ready();
    await page.runByKey();
    assert.equal(await page.notice.count(), 0);
  });

  test("a run that never answers is ended by the watchdog, and the next run works", async (t) => {
    const page = await open(t, {
      storage: () => {
        const Real = window.Worker;
        let first = true;
        window.Worker = class extends Real {
          postMessage(message) {
            if (!first) super.postMessage(message);
            first = false;
          }
        };
      },
    });
    await page.ready();
    await page.page.keyboard.press("Control+Enter");
    await page.notice.waitFor({ timeout: 8_000 });
    assert.match(await page.notice.textContent(), /gave no sign for over a second/);
    await page.ready();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /tests passed/);
  });

  test("an interpreter that can't be fetched says so, and Retry fetches it", async (t) => {
    const own = await serve();
    t.after(() => own.close());
    own.broken.add("worker_bg.wasm");
    const page = await open(t, { url: own.url });
    const retry = page.page.getByRole("button", { name: "Retry" });
    await retry.waitFor();
    assert.match(await page.page.locator(".engine").textContent(), /could not be loaded \(the server answered 503\)/);
    own.broken.clear();
    await retry.click();
    await page.ready();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /tests passed/);
  });
});

describe("the timeline", () => {
  test("is stepped through by keys, and the picture, the sentence and the code follow", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.typeRightLines();
    await page.runByKey();
    const player = page.page.getByRole("group", { name: "Timeline" });
    const count = page.page.locator(".steps-count");
    const edge = page.page.locator(".tl-now-edge");
    const all = Number((await count.textContent()).split("/")[1]);
    assert.ok(all > 5);
    const at = async (step) => assert.equal(await count.textContent(), `${step} / ${all}`);
    // Nothing breaks: it opens at its start.
    await at(1);
    // Arrows step through the run wherever the focus is, also at its end, and lose it to no other page of the book.
    await page.page.locator("#chapter").focus();
    const here = page.page.url();
    await page.page.keyboard.press("ArrowRight");
    await at(2);
    for (const _ of [1, 2]) await page.page.keyboard.press("ArrowLeft");
    await at(1);
    assert.equal(page.page.url(), here);
    await player.focus();
    await page.page.keyboard.press("End");
    await at(all);
    await page.page.keyboard.press("Home");
    await at(1);
    assert.match(await page.page.locator(".player-now").textContent(), /^0 s.*asks for/);
    const top = Number(await edge.getAttribute("y"));
    await page.page.keyboard.press("ArrowRight");
    await at(2);
    assert.ok(Number(await edge.getAttribute("y")) > top);
    assert.equal(await page.page.locator(".cm-step-line").count(), 1);
    await page.page.keyboard.press("ArrowDown");
    await page.page.keyboard.press("ArrowLeft");
    await page.page.keyboard.press("ArrowUp");
    await at(1);
    await page.page.keyboard.press("ArrowUp");
    await at(1);
    await page.page.keyboard.press("End");
    await at(all);
    assert.match(await page.page.locator(".player-now").textContent(), /rejected/);

    await page.page.getByText("The same as text").click();
    assert.equal(await page.page.locator(".as-text li").count(), all);
  });

  test("leads to the event that broke the rule", async (t) => {
    const page = await open(t);
    await page.ready();
    await page.runByKey();
    await page.page.getByRole("group", { name: "Timeline" }).focus();
    await page.page.keyboard.press("Home");
    const first = await page.page.locator(".player-now").textContent();
    await page.page.getByRole("button", { name: "Where it breaks" }).click();
    assert.notEqual(await page.page.locator(".player-now").textContent(), first);
    assert.equal(await page.page.locator(".tl-band-bad").count(), 1);
  });
});

describe("the editor", () => {
  test("Tab indents; Esc, then Tab, leaves", async (t) => {
    const page = await open(t);
    await page.fill("x = 1");
    await page.page.keyboard.press("Home");
    await page.page.keyboard.press("Tab");
    assert.equal(await page.code(), "    x = 1");
    await page.page.keyboard.press("Escape");
    await page.page.keyboard.press("Tab");
    assert.equal(await page.code(), "    x = 1");
    assert.ok(!(await page.editor.evaluate((editor) => editor === document.activeElement)));
  });

  test("Reset brings the starter, Undo brings the code, and so does the editor's own undo", async (t) => {
    const page = await open(t);
    const starter = await page.code();
    await page.fill("mine = 1\n");
    await page.page.getByRole("button", { name: "Reset", exact: true }).click();
    assert.equal(await page.code(), starter);
    await page.page.getByRole("button", { name: "Undo reset" }).click();
    assert.equal(await page.code(), "mine = 1\n");

    await page.page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.editor.click();
    await page.page.keyboard.press("ControlOrMeta+z");
    assert.equal(await page.code(), "mine = 1\n");
    assert.equal(await page.page.getByRole("button", { name: "Undo reset" }).count(), 0);
    await page.page.reload();
    await page.editor.waitFor();
    assert.equal(await page.code(), "mine = 1\n");
  });

  test("areas are resized by keys and by dragging", async (t) => {
    const page = await open(t);
    const chapter = page.page.locator("#chapter");
    const splitter = page.page.getByRole("separator", { name: "Width of the chapter" });
    const width = async () => (await chapter.boundingBox()).width;
    const before = await width();
    await splitter.focus();
    await page.page.keyboard.press("ArrowRight");
    await page.page.keyboard.press("ArrowRight");
    assert.ok((await width()) > before + 20);
    assert.equal(await splitter.getAttribute("aria-valuenow"), "40");
    const bar = await splitter.boundingBox();
    await page.page.mouse.move(bar.x + 4, bar.y + 200);
    await page.page.mouse.down();
    await page.page.mouse.move(bar.x - 150, bar.y + 200, { steps: 4 });
    await page.page.mouse.up();
    assert.ok((await width()) < before);
  });
});

describe("storage", () => {
  test("a record that can't be read is kept aside, told, and does not stop the saving", async (t) => {
    const page = await open(t, {
      storage: `if (!sessionStorage.seen) { sessionStorage.seen = 1; localStorage.setItem("${KEY}", "{ not json"); }`,
    });
    assert.match(await page.notice.textContent(), /could not be read.*set aside, not deleted/);
    await page.fill("mine = 2\n");
    await page.page.reload();
    await page.editor.waitFor();
    assert.equal(await page.code(), "mine = 2\n");
    assert.equal(await page.notice.count(), 0);
    assert.equal(await page.page.evaluate((key) => localStorage.getItem(`${key}:aside-1`), KEY), "{ not json");
  });

  test("a browser that stores nothing costs a notice, not the page", async (t) => {
    const page = await open(t, {
      storage: () => Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("no", "SecurityError"); } }),
    });
    assert.match(await page.notice.textContent(), /lets the page store nothing/);
    await page.ready();
    await page.typeRightLines();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All/);
  });

  test("a full storage is told while the typed code stays, and the notice goes when there is room", async (t) => {
    const page = await open(t);
    await page.page.evaluate(() => {
      localStorage.setItem("filler", "x".repeat(4_000_000));
      for (let size = 1_000_000; size >= 1; size = Math.floor(size / 2)) {
        try {
          for (let i = 0; ; i++) localStorage.setItem(`filler-${size}-${i}`, "x".repeat(size));
        } catch {}
      }
    });
    await page.fill(`mine = "${"y".repeat(3000)}"\n`);
    await page.notice.waitFor();
    assert.match(await page.notice.textContent(), /storage for the page is full/);
    assert.match(await page.code(), /^mine/);
    await page.page.evaluate(() => localStorage.removeItem("filler"));
    await page.fill("mine = 3\n");
    await page.notice.waitFor({ state: "detached" });
  });
});

describe("where it is shown", () => {
  test("the page works below any path", async (t) => {
    const below = await serve({ path: "/some/where/" });
    t.after(() => below.close());
    const page = await open(t, { url: below.url });
    await page.ready();
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /tests passed/);
    assert.deepEqual(below.asked.filter((path) => !path.startsWith("/some/where/") && path !== "/favicon.ico"), []);
  });

  test("a narrow window shows the chapter, says what it is made for and fetches no interpreter, until it is wide", async (t) => {
    const own = await serve();
    t.after(() => own.close());
    const page = await open(t, { url: own.url, viewport: { width: 700, height: 900 } });
    assert.ok(await page.page.locator(".needs-width").isVisible());
    assert.ok(await page.page.getByRole("heading", { name: "A lock that runs out" }).isVisible());
    assert.ok(!(await page.run.isVisible()));
    await page.page.waitForTimeout(300);
    assert.ok(!own.asked.some((path) => path.includes("worker")));
    await page.page.setViewportSize(WIDE);
    await page.ready();
    await page.runByKey();
    assert.ok(!(await page.page.locator(".needs-width").isVisible()));
  });

  test("hints open one by one", async (t) => {
    const page = await open(t);
    const next = page.page.getByRole("button", { name: /^Show hint/ });
    for (const shown of [1, 2, 3]) {
      await next.click();
      assert.equal(await page.page.locator(".hints li").count(), shown);
    }
    assert.equal(await next.count(), 0);
  });
});
