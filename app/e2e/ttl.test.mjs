// How long should a lease be: sliders by keyboard, presets, links, bad links, the picture in the chapter.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clean } from "./axe.mjs";
import { WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { opened: stageOpened } = await stage();

const opened = (t, address, options) => stageOpened(t, address, { until: ".ttl", ...options });

const slider = (page, name) => page.getByRole("slider", { name, exact: true });
const told = (page, name) => slider(page, name).getAttribute("aria-valuetext");
const rule = (page) => page.locator(".ttl-good, .ttl-bad").textContent();
const hash = (page) => page.evaluate(() => location.hash);

test("a slider moves by keyboard, the result follows, is said, and stands in the address", async (t) => {
  const page = await opened(t, "#/ttl");
  assert.equal(await told(page, "ttl"), "15 s");
  assert.match(await rule(page), /^The rule holds/);
  await page.getByText("The rule: the ttl is longer than the longest interval").waitFor();
  assert.equal(await page.locator(".ttl > [role=status]").textContent(), "", "nothing is said before anything moves");
  await slider(page, "Pause").focus();
  for (let i = 0; i < 40 && /holds,/.test(await rule(page)); i++) await page.keyboard.press("ArrowRight");
  assert.match(await rule(page), /does not hold/);
  const pause = await told(page, "Pause");
  await page.waitForFunction(() => /does not hold/.test(document.querySelector(".ttl > [role=status]").textContent));
  assert.equal(await hash(page), `#/ttl/pause=${pause.replace(" ", "")}`);
  await page.reload();
  await page.locator(".ttl").waitFor();
  assert.equal(await told(page, "Pause"), pause);
});

test("a third of the ttl follows the ttl until the interval is set", async (t) => {
  const page = await opened(t, "#/ttl/ttl=9s");
  assert.equal(await told(page, "Renewal interval"), "3 s");
  const third = page.getByRole("checkbox", { name: "a third of the ttl" });
  assert.ok(await third.isChecked());
  await slider(page, "ttl").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await told(page, "ttl"), "10 s");
  assert.equal(await told(page, "Renewal interval"), "3.33 s");
  await slider(page, "Renewal interval").focus();
  await page.keyboard.press("ArrowLeft");
  assert.ok(!(await third.isChecked()));
  await third.check();
  assert.equal(await told(page, "Renewal interval"), "3.33 s");
});

test("each preset says why, shows a life, and has an address", async (t) => {
  const page = await opened(t, "#/ttl");
  const presets = page.getByRole("group", { name: "Settings to begin with" }).getByRole("button");
  const reasons = new Set();
  for (const preset of await presets.all()) {
    await preset.focus();
    await page.keyboard.press("Enter");
    assert.equal(await preset.getAttribute("aria-pressed"), "true");
    reasons.add(await page.locator(".ttl-presets p").textContent());
    const count = await page.locator(".steps-count").textContent();
    assert.ok(Number(count.split(" / ")[1]) > 5, count);
  }
  assert.equal(reasons.size, 7);
  await page.waitForFunction(() => location.hash.endsWith("/too-tight-one-and-a-half-intervals"));
  assert.match(await page.locator(".ttl-found").textContent(), /of 400 live holders lost their lock/);
});

test("a waiter asks or is woken", async (t) => {
  const page = await opened(t, "#/ttl");
  await page.getByText("Retries and waiters").click();
  const facts = page.locator(".ttl-facts");
  assert.match(await facts.textContent(), /from each waiter/);
  await page.getByRole("checkbox", { name: "Waiters are told when the lock is free" }).check();
  assert.match(await facts.textContent(), /none from waiters/);
  assert.equal(await slider(page, "A waiter asks every").count(), 0);
});

test("what a link says out of bounds is moved, and both are said", async (t) => {
  const page = await opened(t, "#/ttl/ttl=2s,rtt=9s,color=red");
  const said = await page.locator(".ttl-said").allTextContents();
  assert.equal(said.length, 3, said.join("\n"));
  for (const [i, what] of [/color=red/, /half of the ttl/, /two round trips/].entries()) {
    assert.match(said[i], what);
    assert.ok(await page.locator(".ttl-said").nth(i).isVisible());
  }
  assert.equal(await told(page, "Round trip"), "1 s");
  await page.evaluate(() => (location.hash = "#/ttl/watchdog-30-s"));
  await page.waitForFunction(() => document.querySelector(".ttl-said") === null);
  assert.equal(await told(page, "ttl"), "30 s");
});

test("in its chapter it leaves the address alone and leads to its own page", async (t) => {
  const page = await opened(t, "#/chapter/choosing-a-ttl");
  assert.match(await rule(page), /does not hold/);
  await slider(page, "ttl").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".ttl > [role=status]").textContent !== "");
  assert.equal(await hash(page), "#/chapter/choosing-a-ttl");
  await page.getByRole("button", { name: "Start again" }).click();
  assert.equal(await told(page, "ttl"), "3 s");
  await slider(page, "ttl").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("link", { name: "Open it on a page of its own" }).click();
  await page.getByRole("heading", { level: 1, name: "How long should a lease be?" }).waitFor();
  await page.locator(".ttl").waitFor();
  assert.equal(await told(page, "ttl"), "3.3 s");
});

for (const colorScheme of ["light", "dark"]) {
  for (const address of ["#/ttl/across-regions-20-s", "#/ttl/ttl=2s,rtt=9s,color=red", "#/chapter/choosing-a-ttl"]) {
    test(`axe finds nothing: ${address}, ${colorScheme}`, async (t) => {
      for (const viewport of [WIDE, { width: 480, height: 800 }]) {
        const page = await opened(t, address, { colorScheme, viewport });
        await page.getByText("Retries and waiters").click();
        await clean(page, `at ${viewport.width}`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(over <= 0, `${over} px over the edge at ${viewport.width}`);
      }
    });
  }
}
