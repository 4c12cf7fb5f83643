// A run as a link, and two versions of the code side by side: made, opened, run and stepped through by keyboard alone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { clean } from "./axe.mjs";
import { KataPage, KEY, LOAD_MS, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();

const KATA = "acquire-with-fencing";
const exercise = (file) => readFile(new URL(`../../exercises/01-${KATA}/${file}`, import.meta.url), "utf8");
const starter = await exercise("starter.py");
const solution = await exercise("solution.py");

/** The address that a link of this content has. */
function link(run, { version = "1", json = JSON.stringify(run) } = {}) {
  const bytes = Buffer.from(json);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5));
  return `#/shared/${version}/${Buffer.concat([sum, deflateRawSync(bytes)]).toString("base64url")}`;
}

/** A record of the learner's own code, as the page saves it. */
const record = (code) => JSON.stringify({ version: 1, starter_hash: "0", code });

async function open(t, hash = "", { code, colorScheme = "light", viewport = WIDE } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, permissions: ["clipboard-read", "clipboard-write"] });
  t.after(() => context.close());
  await context.addInitScript(
    ([key, saved]) => {
      if (saved && !localStorage.getItem(key)) localStorage.setItem(key, saved);
      // What the page asks the interpreter to do.
      globalThis.orders = [];
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (text) {
        globalThis.orders.push(JSON.parse(text).type);
        return postMessage.call(this, text);
      };
    },
    [KEY, code && record(code)],
  );
  const page = await KataPage.open(context, server.url + hash);
  t.after(() => assert.deepEqual(page.problems, []));
  return page;
}

/** Goes on with Tab until an element has the focus, and presses a key there. */
async function press(page, locator, key = "Enter") {
  await locator.waitFor({ timeout: LOAD_MS });
  for (let i = 0; i < 80; i++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return page.page.keyboard.press(key);
    await page.page.keyboard.press("Tab");
  }
  assert.fail("Tab does not lead there");
}

const button = (page, name) => page.page.getByRole("button", { name, exact: true });
const alert = (page) => page.page.locator(".shared-trouble");

/** The shown story: where it stands, of how many events, and what happens there. */
async function story(page, within) {
  const player = page.page.locator(`${within} .player`);
  await player.waitFor({ timeout: LOAD_MS });
  const texts = await Promise.all([".steps-count", ".player-now"].map((at) => player.locator(at).first().textContent()));
  // Whose line it is is told in other words.
  return texts.map((text) => text.replace(/(your )?line \d+.*/s, "").trim());
}

/** Runs the code that is in the editor, and has the focus in the story of the first test that fails. */
async function failing(page) {
  await page.ready();
  await page.runByKey();
  await page.page.locator(".detail .player").focus();
}

describe("a link", () => {
  test("brings the same run to somebody else, who runs it when they like and keeps their own code", async (t) => {
    const page = await open(t);
    await failing(page);
    const told = await story(page, ".detail");
    await press(page, button(page, "Share"));
    await page.page.getByText("The link is copied.").waitFor();
    const url = await page.page.getByLabel("Link to this run").inputValue();
    assert.equal(await page.page.evaluate(() => navigator.clipboard.readText()), url);
    assert.ok(url.startsWith(`${server.url}#/shared/1/`) && url.length < 3_000, `${url.length} characters`);
    await page.page.keyboard.press("Escape");
    assert.ok(await button(page, "Share").evaluate((element) => element === document.activeElement));

    const other = await open(t, url.slice(server.url.length), { code: "mine = 1\n" });
    const code = other.page.locator(".shared-code code-editor");
    await code.waitFor();
    assert.equal(await code.evaluate((editor) => editor.text), starter);
    await other.page.getByText("Nothing has run yet").waitFor();
    await code.locator(".cm-content").focus();
    await other.page.keyboard.type("x");
    assert.equal(await code.evaluate((editor) => editor.text), starter);
    await other.page.waitForTimeout(500);
    assert.deepEqual(await other.page.evaluate(() => globalThis.orders), []);

    await press(other, button(other, "Run this schedule"));
    assert.deepEqual(await story(other, ".shared-run"), told);
    assert.deepEqual(await other.page.evaluate(() => globalThis.orders), ["replay"]);
    assert.equal(await code.locator(".cm-step-line").count(), 1);
    await other.page.locator(".shared-run .player").focus();
    await other.page.keyboard.press("Home");
    assert.match((await story(other, ".shared-run"))[0], /^1\D/);
    assert.equal(await other.page.evaluate((key) => localStorage.getItem(key), KEY), record("mine = 1\n"));

    await press(other, other.page.getByRole("link", { name: "Open the kata" }));
    await other.page.locator(".code code-editor").waitFor();
    assert.equal(await other.page.evaluate(() => document.querySelector(".code code-editor").text), "mine = 1\n");
  });

  test("says to whoever knows nothing of the page what it is, and only our own museum can say that it is from there", async (t) => {
    const run = { kata: KATA, code: starter, replay: "AxQ", test: "a_rule", from: "#/museum/somebody-elses-lock/anyone-may-release" };
    const page = await open(t, link(run));
    await page.page.getByText("Leasehold is a page on which one learns distributed locks").waitFor();
    await page.page.getByText("Somebody shared this code").waitFor();
    assert.equal(await page.page.getByRole("link", { name: /Back to the card/ }).count(), 0);
  });

  test("of a test without a schedule runs the whole suite and shows that test", async (t) => {
    const run = { kata: KATA, code: starter, test: "a_stale_write_after_takeover_is_rejected" };
    const page = await open(t, link(run));
    await press(page, button(page, "Run the tests on it"));
    await page.page.locator(".shared-outcome").waitFor({ timeout: LOAD_MS });
    assert.deepEqual(await page.page.evaluate(() => globalThis.orders), ["run"]);
  });

  test("that is damaged, foreign, too long or too large says so, each in its own words, and leads on", async (t) => {
    const run = { kata: KATA, code: starter, replay: "AxQ", test: "a_rule" };
    const good = link(run);
    const cases = [
      ["#/shared", "missing from it"],
      [good.slice(0, -9), "damaged"],
      [`${good.slice(0, 40)}A${good.slice(41)}`, "damaged"],
      [`#/shared/1/${"A".repeat(17_000)}`, "longer than any"],
      [link(run, { version: "2" }), "another version"],
      [link({ ...run, code: " ".repeat(300_000) }), "far more than"],
      [link({ ...run, kata: "../../secret" }), "damaged"],
      [link({ ...run, kata: "no-such-kata" }), "a kata called no-such-kata"],
      [link(run, { json: "[]" }), "damaged"],
    ];
    for (const [hash, words] of cases) {
      const page = await open(t, hash);
      await alert(page).waitFor();
      assert.match(await alert(page).textContent(), new RegExp(words));
      assert.equal(await page.page.locator(".shared-code").count(), 0);
      await press(page, page.page.locator(".shared-trouble a"));
      await page.page.locator(".contents").waitFor();
    }
  });

  test("whose schedule is none of the kata's is told by the engine, and the code stays", async (t) => {
    const page = await open(t, link({ kata: KATA, code: starter, replay: "AxQ", test: "a_rule" }));
    await press(page, button(page, "Run this schedule"));
    await page.page.getByText("The replay string is damaged").waitFor({ timeout: LOAD_MS });
    assert.equal(await page.page.locator(".shared-code code-editor").count(), 1);
  });

  test("opened in the same tab after another one shows the other one", async (t) => {
    const page = await open(t, link({ kata: KATA, code: "a = 1\n", replay: "AxQ", test: "a_rule" }));
    await page.page.getByText("A rule").waitFor();
    await page.page.evaluate((hash) => (location.hash = hash), link({ kata: KATA, code: "b = 2\n", replay: "AxQ", test: "b_rule" }));
    await page.page.getByText("B rule").waitFor();
    await page.page.waitForFunction(() => document.querySelector(".shared-code code-editor").text === "b = 2\n");
  });

  test("can't hold a long file: there is a command and the file instead", async (t) => {
    const noise = Array.from({ length: 900 }, (_, i) => `# ${Math.sin(i).toString(36)}${Math.cos(i).toString(36)}`).join("\n");
    const page = await open(t, "", { code: `${starter}\n${noise}\n` });
    await failing(page);
    await press(page, button(page, "Share"));
    await page.page.getByText("too long for a link").waitFor();
    await press(page, button(page, "Copy the command"));
    await page.page.getByText("The command is copied.").waitFor();
    const command = await page.page.evaluate(() => navigator.clipboard.readText());
    assert.match(command, /^leasehold replay acquire-with-fencing acquire_with_fencing\.py [\w-]+$/);
    const [download] = await Promise.all([
      page.page.waitForEvent("download"),
      press(page, button(page, "Save the file")),
    ]);
    assert.equal(download.suggestedFilename(), "acquire_with_fencing.py");
    assert.equal(await readFile(await download.path(), "utf8"), `${starter}\n${noise}\n`);
  });
});

describe("a comparison", () => {
  const summary = (page) => page.page.locator(".compare-summary");
  const current = (page) => page.page.locator(".compare-box tr[aria-current]");

  test("before and after the fix: the first difference is marked, and both are stepped through together", async (t) => {
    const page = await open(t);
    await failing(page);
    await press(page, button(page, "Compare"));
    await page.page.getByText("Your code is the same as this one").waitFor();
    await page.page.keyboard.press("Escape");
    await page.typeRightLines();
    await page.page.locator(".detail .player").focus();
    await press(page, button(page, "Compare"));
    await press(page, button(page, "your code now"));
    await summary(page).waitFor({ timeout: LOAD_MS });
    assert.match(await summary(page).textContent(), /Then in the code of this run: .+ In your code now: .+/);
    assert.match(await page.page.locator(".compare-verdicts").textContent(), /your code now breaks no rule here/i);
    assert.match(await current(page).getAttribute("class"), /compare-first/);
    const first = await current(page).textContent();
    // What it says is in sight, although the player below has moved.
    const isSeen = (element) => {
      const [place, around] = [element, element.closest(".detail")].map((e) => e.getBoundingClientRect());
      return place.top >= around.top && place.bottom <= around.bottom;
    };
    await page.page.waitForTimeout(200);
    assert.ok(await summary(page).evaluate(isSeen));

    await press(page, page.page.locator(".compare-box"), "Home");
    if ((await page.page.locator(".compare-box tbody tr").first().textContent()) !== first) {
      assert.notEqual(await current(page).textContent(), first);
    }
    await page.page.keyboard.press("d");
    assert.equal(await current(page).textContent(), first);
    await page.page.keyboard.press("End");
    assert.equal(await current(page).textContent(), await page.page.locator(".compare-box tbody tr").last().textContent());

    // The run that broke the rule is still there when the mended code has run.
    await page.runByKey();
    await page.page.locator(".detail .player").focus();
    await press(page, button(page, "Compare"));
    await press(page, button(page, "your code when it last broke a rule"));
    await summary(page).waitFor({ timeout: LOAD_MS });
    assert.match(await summary(page).textContent(), /Then in your code before: .+ In your code now: .+/);
  });

  test("with the solution: it is asked for twice, and its file comes only then", async (t) => {
    const page = await open(t);
    await failing(page);
    await press(page, button(page, "Compare"));
    await press(page, button(page, "the solution…"));
    assert.ok(!server.asked.some((path) => path.endsWith(".solution")));
    await press(page, button(page, "Show it"));
    await summary(page).waitFor({ timeout: LOAD_MS });
    assert.ok(server.asked.some((path) => path.endsWith(`katas/${KATA}.solution`)));
    assert.match(await summary(page).textContent(), /In the solution: .+/);
    await press(page, page.page.locator(".compare-box + .announcement + details summary"));
    const files = page.page.locator(".compare-files code-editor");
    await files.nth(1).waitFor();
    assert.deepEqual(await files.evaluateAll((all) => all.map((editor) => editor.text)), [starter, solution]);
  });

  test("of a shared run with one's own code", async (t) => {
    const page = await open(t);
    await failing(page);
    await press(page, button(page, "Share"));
    await page.page.getByText("The link is copied.").waitFor();
    const url = await page.page.getByLabel("Link to this run").inputValue();

    const other = await open(t, url.slice(server.url.length), { code: solution });
    await press(other, button(other, "Compare"));
    await press(other, button(other, "your code"));
    await summary(other).waitFor({ timeout: LOAD_MS });
    assert.match(await summary(other).textContent(), /Then in the shared code: .+ In your code: .+/);
    assert.deepEqual(await other.page.evaluate(() => globalThis.orders), ["replay", "replay"]);

    const none = await open(t, url.slice(server.url.length));
    await press(none, button(none, "Compare"));
    await none.page.getByText("holds no code of yours").waitFor();
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing, ${colorScheme}`, async (t) => {
    const page = await open(t, "", { colorScheme });
    await failing(page);
    await press(page, button(page, "Share"));
    await page.page.getByText("The link is copied.").waitFor();
    await clean(page.page, "with a link");
    const url = await page.page.getByLabel("Link to this run").inputValue();
    await page.page.locator(".detail .player").focus();
    await press(page, button(page, "Compare"));
    await press(page, button(page, "the solution…"));
    await clean(page.page, "asked for the solution");
    await press(page, button(page, "Show it"));
    await page.page.locator(".compare-box").waitFor({ timeout: LOAD_MS });
    await clean(page.page, "with a comparison");

    for (const viewport of [WIDE, { width: 480, height: 800 }]) {
      const shared = await open(t, url.slice(server.url.length), { colorScheme, viewport, code: solution });
      await shared.page.locator(".shared-code").waitFor();
      await clean(shared.page, "a link that was opened");
      await press(shared, button(shared, "Run this schedule"));
      await story(shared, ".shared-run");
      await clean(shared.page, "a link that was run");
      await press(shared, button(shared, "Compare"));
      await press(shared, button(shared, "your code"));
      await shared.page.locator(".compare-box").waitFor({ timeout: LOAD_MS });
      await clean(shared.page, "a link that is compared");
    }
    const trouble = await open(t, "#/shared/7/x", { colorScheme });
    await alert(trouble).waitFor();
    await clean(trouble.page, "a link of another version");
  });
}
