// Searching deeper in the built page: by keyboard, to its end, given up, overtaken by a run, dying; and replays, which
// the worker answers beside it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { KataPage, LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const KATA = "acquire-with-fencing";
const solution = await readFile(new URL(`../../exercises/01-${KATA}/solution.py`, import.meta.url), "utf8");

/** Passes the whole suite. It needs 5 operations that end just so: two grants, a wait, a release, a grant. */
const BATCHES = `class LockManager:
    # Wrong: leases granted together are a batch, and with the end of the only one the manager starts over, tokens and all.
    def __init__(self, clock):
        self._clock = clock
        self._locks = {}
        self._counter = 0

    def acquire(self, name, client_id, ttl):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is not None and now < lock["expiry"]:
            return None
        self._counter += 1
        self._locks[name] = {"client": client_id, "expiry": now + ttl, "since": now}
        return self._counter

    def release(self, name, client_id):
        now = self._clock()
        lock = self._locks.get(name)
        if lock is None or lock["client"] != client_id:
            return False
        del self._locks[name]
        batch = [other for other in self._locks.values() if other["since"] == lock["since"]]
        if batch and len(batch) == len(self._locks) and all(other["expiry"] == now for other in batch):
            self._locks.clear()
            self._counter = 0
        return True
`;

const { server, browser } = await stage();

/** A page whose run of `source` has passed, with the search selected by keyboard and the focus on its button. */
async function passed(t, source, storage) {
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  if (storage) await context.addInitScript(storage);
  const page = await KataPage.open(context, server.url);
  t.after(() => assert.deepEqual(page.problems, []));
  await page.ready();
  await page.fill(source);
  await page.runByKey();
  assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
  const search = page.page.getByRole("button", { name: /No short schedule breaks it/ });
  await search.focus();
  await page.page.keyboard.press("Enter");
  const button = page.page.locator(".deeper button");
  await tabTo(page, button);
  return Object.assign(page, { button, search, reached: page.page.locator(".deeper p") });
}

async function tabTo(page, wanted) {
  for (let i = 0; i < 10 && !(await has(wanted)); i++) await page.page.keyboard.press("Tab");
  assert.ok(await has(wanted), "reached by Tab");
}

const has = (locator) => locator.evaluate((element) => element === document.activeElement);
const label = (page, text) => page.page.locator(".deeper button", { hasText: text }).waitFor({ timeout: LOAD_MS });
const announced = (page, text) => page.page.locator(".announcement", { hasText: text }).waitFor({ state: "attached" });

describe("searching deeper", () => {
  test("goes one further by keyboard, then again, and Cancel leaves the report before it", async (t) => {
    const page = await passed(t, solution);
    const keyboard = page.page.keyboard;
    assert.equal(await page.button.textContent(), "Search deeper: up to 5 operations");
    await keyboard.press("Enter");
    await label(page, "Search deeper: up to 6 operations");
    assert.match(await page.page.locator(".message").textContent(), /^Every schedule of up to 5 operations/);
    assert.match(await page.page.locator(".verdict").textContent(), /All \d+ tests.*Every schedule of up to 5 operations was tried/s);
    await announced(page, "The search ended: no rule was broken.");
    assert.ok(await has(page.button), "the focus stayed");

    await keyboard.press("Space");
    await label(page, "Cancel");
    assert.ok(await has(page.button));
    assert.match(await page.search.textContent(), /searching…/);
    await page.page.locator(".deeper p", { hasText: /^[\d,]+ schedules tried; all of up to 5 operations$/ }).waitFor({ timeout: LOAD_MS });
    // Nobody knows how many there will be.
    assert.equal(await page.page.locator(".deeper progress").count(), 0);
    assert.equal(await page.page.locator(".announcement").textContent(), "");
    await keyboard.press("Enter");
    await label(page, "Search deeper: up to 6 operations");
    assert.ok(await has(page.button));
    assert.match(await page.page.locator(".message").textContent(), /^Every schedule of up to 5 operations/);
    await announced(page, "The search was cancelled.");
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All/);
  });

  test("finds what the suite does not, shows it, and the focus is at its timeline", async (t) => {
    const page = await passed(t, BATCHES);
    await page.page.keyboard.press("Enter");
    await page.page.locator(".verdict-failed").waitFor({ timeout: LOAD_MS });
    assert.match(await page.verdict.textContent(), /^15 of 16 tests passed/);
    await announced(page, /No short schedule breaks it: At 10 s A was granted job with token 1, less than the 2/);
    assert.equal(await page.search.getAttribute("aria-current"), "true");
    assert.match(await page.page.locator(".coverage").textContent(), /^Found after [\d,]+ schedules/);
    assert.equal(await page.page.locator(".tl-band-bad").count(), 1);
    assert.equal(await page.page.locator(".cm-problem-line").count(), 1);
    assert.equal(await page.button.count(), 0);
    const timeline = page.page.getByRole("group", { name: "Timeline" });
    assert.ok(await has(timeline));
    const now = await page.page.locator(".player-now").textContent();
    await page.page.keyboard.press("ArrowLeft");
    assert.notEqual(await page.page.locator(".player-now").textContent(), now);
  });

  test("leaves the focus in the editor, and what it finds belongs to the code before the edit", async (t) => {
    const page = await passed(t, BATCHES);
    await page.page.keyboard.press("Enter");
    await page.editor.click();
    await page.page.keyboard.press("ControlOrMeta+End");
    await page.page.keyboard.type("# edited");
    await page.page.locator(".verdict-failed").waitFor({ timeout: LOAD_MS });
    await page.page.locator(".outdated").waitFor();
    assert.ok(await has(page.editor));
    assert.match(await page.code(), /# edited$/);
  });

  test("is ended by a run, which starts at once", async (t) => {
    const page = await passed(t, solution);
    await page.page.keyboard.press("Enter");
    await label(page, "Search deeper: up to 6 operations");
    await page.page.keyboard.press("Enter");
    await label(page, "Cancel");
    await page.fill(BATCHES.replace("self._counter += 1", "self._counter -= 1"));
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^\d+ of \d+ tests passed/);
    // Nothing of the search comes later: another run gives another report, and it stays.
    await page.fill(solution);
    await page.runByKey();
    assert.match(await page.verdict.textContent(), /^All/);
    assert.match(await page.page.locator(".verdict").textContent(), /of up to 4 operations/);
  });

  test("an interpreter that dies in it is replaced, with a word, and the report stays", async (t) => {
    const page = await passed(t, solution, () => {
      const Real = window.Worker;
      window.Worker = class extends Real {
        postMessage(message) {
          const { type, id } = JSON.parse(message);
          if (type !== "deeper") return super.postMessage(message);
          const data = JSON.stringify({ type: "crashed", id, message: "unreachable" });
          setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
        }
      };
    });
    await page.page.keyboard.press("Enter");
    await page.notice.waitFor();
    assert.match(await page.notice.textContent(), /ended the interpreter \(unreachable\).*your code is untouched/);
    await label(page, "Search deeper: up to 5 operations");
    await page.ready();
    await page.runByKey();
    assert.equal(await page.notice.count(), 0);
  });

  test("one that says nothing is ended by the watchdog, and the report stays", async (t) => {
    const page = await passed(t, solution, () => {
      const Real = window.Worker;
      window.Worker = class extends Real {
        postMessage(message) {
          if (JSON.parse(message).type !== "deeper") super.postMessage(message);
        }
      };
    });
    await page.page.keyboard.press("Enter");
    await page.notice.waitFor({ timeout: 8_000 });
    assert.match(await page.notice.textContent(), /gave no sign for over a second/);
    assert.match(await page.verdict.textContent(), /^All \d+ tests passed/);
    await label(page, "Search deeper: up to 5 operations");
  });
});

describe("the worker", () => {
  /** Sends orders to a worker of its own, each once the one before is answered, and gives what came last for each. */
  async function answers(t, orders) {
    const context = await browser.newContext({ viewport: WIDE });
    t.after(() => context.close());
    const page = await KataPage.open(context, server.url);
    return page.page.evaluate(async (orders) => {
      const worker = new Worker("worker-boot.js", { type: "module" });
      const heard = [];
      let wake = () => {};
      worker.onmessage = ({ data }) => (heard.push(JSON.parse(data)), wake());
      const until = async (wanted) => {
        for (;;) {
          const found = heard.find(wanted);
          if (found) return found;
          await new Promise((go) => (wake = go));
        }
      };
      await until(({ type }) => type === "ready");
      const said = [];
      for (const [id, order] of orders.entries()) {
        // What an earlier answer holds: `from` names the test whose replay string is meant.
        const tests = said.find(({ report }) => report)?.report.tests;
        const replay = order.from ? tests.find(({ name }) => name === order.from).replay : order.replay;
        worker.postMessage(JSON.stringify({ ...order, replay, id }));
        said.push(await until((message) => message.id === id && !["tried", "alive"].includes(message.type)));
      }
      return said;
    }, orders);
  }

  test("replays what a report holds, with the same trace, and says what is wrong with a damaged string", async (t) => {
    const source = BATCHES.replace("self._counter += 1", "self._counter -= 1");
    const order = { kata: KATA, source };
    const broken = "tokens_grow_over_release";
    const [{ report }, replayed, damaged, none] = await answers(t, [
      { type: "run", ...order },
      { type: "replay", ...order, from: broken },
      { type: "replay", ...order, replay: "not-a-replay" },
      { type: "replay", ...order, kata: "no-such-kata", replay: "" },
    ]);
    const before = report.tests.find(({ name }) => name === broken);
    assert.equal(before.outcome, "failed");
    assert.equal(replayed.type, "replayed");
    const { outcome, message, trace, replay } = replayed.test;
    assert.deepEqual({ outcome, message, trace, replay }, { outcome: "failed", message: before.message, trace: before.trace, replay: before.replay });
    assert.match(damaged.error, /^[a-z].{20,}/i);
    assert.equal(damaged.test, undefined);
    assert.match(none.error, /no kata no-such-kata/);
  });

  test("answers replays during a search, and the search comes to its end", async (t) => {
    const order = { kata: KATA, source: BATCHES };
    const context = await browser.newContext({ viewport: WIDE });
    t.after(() => context.close());
    const page = await KataPage.open(context, server.url);
    const said = await page.page.evaluate(
      (order) =>
        new Promise((done) => {
          const worker = new Worker("worker-boot.js", { type: "module" });
          const said = [];
          worker.onmessage = ({ data }) => {
            const { type, test } = JSON.parse(data);
            if (type === "ready") {
              worker.postMessage(JSON.stringify({ type: "deeper", id: 1, bound: 5, ...order }));
              worker.postMessage(JSON.stringify({ type: "replay", id: 2, replay: "x", ...order }));
            }
            if (type === "replayed" || type === "searched") said.push(`${type} ${test?.outcome ?? ""}`);
            if (type === "searched") done(said);
          };
        }),
      order,
    );
    assert.deepEqual(said, ["replayed ", "searched failed"]);
  });
});
