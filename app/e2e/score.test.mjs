// The kata whose answer is a test: two meters, and the names of what got away.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { KataPage, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const FOLDER = new URL("../../exercises/11-write-the-test/", import.meta.url);
const read = (file) => readFile(new URL(file, FOLDER), "utf8");

const { server, browser } = await stage();

async function ran(t, file) {
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  const page = await KataPage.open(context, `${server.url}#/kata/write-the-test`);
  await page.ready();
  await page.fill(await read(file));
  await page.runByKey();
  return page;
}

const meter = (page, name) => page.page.getByRole("meter", { name });

test("the meters stand full for the solution, and nothing got away", async (t) => {
  const page = await ran(t, "solution.py");
  for (const name of [/^Wrong locks caught: (\d+) of \1$/, /^Right locks spared: (\d+) of \1$/]) {
    const full = await meter(page, name).evaluate((meter) => meter.value === meter.max && meter.max > 0);
    assert.ok(full);
  }
  assert.equal(await page.page.locator(".score details").count(), 0);
  assert.deepEqual(page.problems, []);
});

test("what got away is named", async (t) => {
  const page = await ran(t, "wrong/check_stays_small.py");
  const [value, max] = await meter(page, /^Wrong locks caught/).evaluate((meter) => [meter.value, meter.max]);
  assert.ok(value < max && value > 0);
  await page.page.getByText(`Got away: ${max - value}`).click();
  assert.equal(await page.page.locator(".score li:visible").count(), max - value);
});

test("a false alarm is named, too", async (t) => {
  const page = await ran(t, "wrong/check_wants_a_true_token.py");
  await page.page.getByText(/^False alarms: \d+$/).click();
  assert.match(await page.page.locator(".score li:visible").first().textContent(), /^the one /);
});

test("other katas have no score", async (t) => {
  const context = await browser.newContext({ viewport: WIDE });
  t.after(() => context.close());
  const page = await KataPage.open(context, server.url);
  await page.ready();
  await page.runByKey();
  assert.equal(await page.page.locator(".score").count(), 0);
});
