// The page's policy lets nothing in but its own files, and nothing that a learner or a link says becomes markup.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { KataPage } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, opened } = await stage();
const html = await readFile(join(process.env.DIST ?? "dist", "index.html"), "utf8");

/** What would run, were it ever taken for markup. */
const MARKUP = `<img src=x onerror="window.hacked=1"><svg onload="window.hacked=1"></svg><b class="hacked">bold</b>`;

/** What the policy refused from the next load on. */
async function watched(page) {
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  return () => page.evaluate(() => violations);
}

const unharmed = async (page) => {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator(".hacked, img").count(), 0);
};

test("the page carries a policy, and no script, style or handler of its own between the lines", () => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html);
  const rules = Object.fromEntries(policy.split("; ").map((rule) => rule.split(/ (.*)/)));
  assert.equal(rules["default-src"], "'none'");
  assert.equal(rules["script-src"], "'self' 'wasm-unsafe-eval'");
  assert.equal(rules["connect-src"], "'self'");
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:|\*/);
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|javascript:/);
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//);
});

for (const [address, place] of [
  ["", ".cm-content"],
  ["#/contents", ".contents"],
  ["#/chapter/the-life-of-a-handle", ".states svg"],
  ["#/museum/losses-unheard", ".player svg"],
  ["#/break/one-pause", ".code-lines"],
  ["#/ttl", "live-picture svg"],
  ["#/kata/renewal-daemon", ".cm-content"],
]) {
  test(`the policy forbids nothing that the page needs: ${address || "the first kata"}`, async (t) => {
    const page = await opened(t, "", { until: null });
    const violations = await watched(page);
    const refused = [];
    page.on("console", (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()));
    await page.goto("about:blank");
    await page.goto(`${server.url}${address}`);
    await page.locator(place).first().waitFor();
    assert.deepEqual(await violations(), []);
    assert.deepEqual(refused, []);
  });
}

test("nothing foreign comes in: no script in the markup, no eval, no other origin", async (t) => {
  const page = await opened(t, "", { until: null });
  const violations = await watched(page);
  await page.reload();
  await page.locator("h1").waitFor();
  const tried = await page.evaluate(async () => {
    const place = document.createElement("div");
    document.body.append(place);
    place.innerHTML = `<img src="data:image/gif;base64,R0lG" onerror="window.hacked=1">`;
    const script = document.createElement("script");
    script.textContent = "window.hacked=1";
    document.body.append(script);
    const foreign = document.createElement("script");
    foreign.src = "https://example.org/x.js";
    document.body.append(foreign);
    const called = await fetch("https://example.org/").then(() => "answered", () => "refused");
    // Not by this test's own evaluate, which the browser lets do more.
    const evaluated = await new Promise((done) => {
      addEventListener("message", ({ data }) => done(data), { once: true });
      setTimeout(() => {
        try {
          (0, eval)("window.hacked=1");
          postMessage("evaluated");
        } catch {
          postMessage("refused");
        }
      });
    });
    await new Promise((done) => setTimeout(done, 200));
    return { called, evaluated, hacked: window.hacked };
  });
  assert.deepEqual(tried, { called: "refused", evaluated: "refused", hacked: undefined });
  const heard = (await violations()).join("\n");
  for (const rule of [/script-src-attr inline/, /script-src-elem inline/, /script-src-elem https/, /connect-src https/, /script-src eval/]) {
    assert.match(heard, rule);
  }
});

test("what code prints, raises and calls its locks is text", async (t) => {
  const page = new KataPage(await opened(t, ""));
  await page.ready();
  const quoted = JSON.stringify(MARKUP);
  for (const code of [
    `print(${quoted})\nclass LockManager:\n    def __init__(self, clock):\n        pass\n    def acquire(self, *a):\n        raise ValueError(${quoted})\n    def release(self, *a):\n        return ${quoted}\n`,
    `raise ValueError(${quoted})\n`,
    `class LockManager:\n    def __init__(self, clock):\n        pass\n    def acquire(self, *a):\n        return ${quoted}\n    def release(self, *a):\n        return True\n`,
    `raise type("<img src=x onerror='window.hacked=1'>", (Exception,), {})\n`,
  ]) {
    await page.fill(code);
    await page.runByKey();
    await unharmed(page.page);
    let told = "";
    for (const button of await page.page.locator(".tests .test").all()) {
      await button.click();
      told += await page.page.locator("#detail").textContent();
    }
    assert.ok(told.includes("<img src=x"), `it is shown, as text: ${told}`);
    await unharmed(page.page);
  }
});

test("an address is never markup, whatever it holds", async (t) => {
  const page = await opened(t, "");
  for (const address of [
    `#/kata/${encodeURIComponent(MARKUP)}`,
    `#/kata/${MARKUP}`,
    `#/museum/${MARKUP}/${MARKUP}`,
    `#/shared/1/${MARKUP}`,
    `#/break/${MARKUP}`,
    `#/ttl/${MARKUP}`,
    `#javascript:window.hacked=1`,
  ]) {
    await page.goto(server.url + address);
    await page.locator("h1").first().waitFor();
    await unharmed(page);
  }
});
