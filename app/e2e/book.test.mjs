// The book: the introduction, the way to everything, keys, search, settings, and that Back leads to where one was.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, test } from "node:test";
import { KataPage, serve, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser, opened } = await stage();

const NARROW = { width: 480, height: 800 };
const LONG = "#/chapter/choosing-a-ttl";

const dialog = (page) => page.locator("dialog[open]");
const field = (page) => page.getByRole("combobox", { name: "Words to look for" });
const status = (page) => page.locator(".search [role=status]");
const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true });
const hash = (page) => page.evaluate(() => location.hash);
const scrolled = (page) => page.evaluate(() => document.querySelector(".sheet, #chapter").scrollTop);
const hasFocus = (locator) => locator.evaluate((element) => element === document.activeElement);

/** Opens the search and waits until all files are there. */
async function searching(page) {
  await page.getByRole("button", { name: "Search" }).click();
  await field(page).waitFor();
  await page.waitForFunction(() => /interview questions\.$/.test(document.querySelector(".search [role=status]").textContent));
}

/** Says of settings what the browser has stored. */
const stored = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("leasehold:settings")));

/** A browser with something stored, or where storing is refused. */
async function withStorage(t, prepare, argument, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  t.after(() => context.close());
  await context.addInitScript(prepare, argument);
  const page = await context.newPage();
  await page.goto(server.url);
  await page.locator("h1").waitFor();
  return page;
}

describe("the introduction", () => {
  test("stands at the head of the first kata and leaves the kata above the fold", async (t) => {
    const page = await opened(t, "", { viewport: { width: 1440, height: 900 } });
    const introduction = page.getByRole("region", { name: "Introduction" });
    assert.match(await introduction.textContent(), /write a distributed lock in Python.*Run Tests searches every short schedule/);
    for (const below of [".lede", ".prose p >> nth=0", ".run", "code-editor"]) {
      const { y, height } = await page.locator(below).first().boundingBox();
      assert.ok(y + height < 900, `${below} ends at ${y + height}`);
    }
    const places = await introduction.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.deepEqual(places, ["#/contents", "#/practice", "#/museum", "#/break", "#/ttl"]);
  });

  test("can be put away, is not there again after a reload, and nowhere else", async (t) => {
    const page = await opened(t, "");
    const introduction = page.locator(".introduction");
    await page.getByRole("button", { name: "Put this away" }).click();
    assert.equal(await introduction.count(), 0);
    assert.ok(await hasFocus(page.locator("#chapter")), "the focus is not lost");
    await page.reload();
    await page.locator(".lede").waitFor();
    assert.equal(await introduction.count(), 0);
    const other = await opened(t, "#/kata/storage-gate");
    await other.locator(".lede").waitFor();
    assert.equal(await other.locator(".introduction").count(), 0);
  });

  test("does not tell of a button that is not there on a narrow screen", async (t) => {
    const page = await opened(t, "", { viewport: NARROW });
    await page.locator(".introduction").waitFor();
    assert.equal(await page.getByText("Press it right away").isVisible(), false);
  });
});

describe("the strip at the top", () => {
  test("leads everywhere from everywhere, and says where one is", async (t) => {
    const page = await opened(t, "#/kata/storage-gate");
    const site = page.getByRole("navigation", { name: "Site" });
    for (const [name, address] of [["Museum", "#/museum"], ["Break it", "#/break"], ["TTL", "#/ttl"], ["Contents", "#/contents"]]) {
      await site.getByRole("link", { name }).click();
      await page.waitForFunction(() => document.querySelector(".ways [aria-current=page]"));
      assert.equal(await hash(page), address);
      assert.equal(await site.locator("[aria-current=page]").textContent(), name);
    }
    await page.getByRole("link", { name: "Leasehold" }).click();
    await heading(page, "Acquire with a fencing token").waitFor();
    assert.equal(await hash(page), "");
  });

  test("fits a narrow screen, and goes away with the page", async (t) => {
    for (const address of ["", LONG, "#/contents"]) {
      const page = await opened(t, address, { viewport: NARROW });
      const { width, height } = await page.locator(".top").boundingBox();
      assert.ok(width <= 480 && height < 200, `${address}: ${width} by ${height}`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${address}: ${over} px`);
      await page.locator("main").waitFor();
      await page.evaluate(() => window.scrollTo(0, 600));
      assert.ok(await page.evaluate(() => document.querySelector(".top").getBoundingClientRect().bottom < 0), address);
    }
  });

  test("can be skipped: to the chapter, the editor, the results, as far as they are there", async (t) => {
    const page = await opened(t, "");
    const skips = page.getByRole("navigation", { name: "Skip to" }).getByRole("link");
    for (const [i, [name, place]] of [
      ["To the chapter", "#chapter"],
      ["To the editor", ".cm-content"],
      ["To the results", "#results"],
    ].entries()) {
      await page.reload();
      await page.locator(".cm-content").waitFor();
      for (let tab = 0; tab <= i; tab++) await page.keyboard.press("Tab");
      const link = skips.nth(i);
      assert.equal(await link.textContent(), name);
      assert.ok(await hasFocus(link), name);
      assert.ok((await link.boundingBox()).x >= 0);
      await page.keyboard.press("Enter");
      assert.ok(await hasFocus(page.locator(place)), place);
      assert.equal(await hash(page), "", "the address stays");
    }
    const other = await opened(t, "#/contents");
    await other.keyboard.press("Tab");
    await other.keyboard.press("Enter");
    assert.ok(await hasFocus(other.locator("main")));
    const narrow = await opened(t, "", { viewport: NARROW });
    assert.equal(await narrow.locator(".skips a:visible").count(), 1);
  });
});

describe("keys", () => {
  test("arrows turn the pages of the book, and nothing that was typed is lost", async (t) => {
    const page = await opened(t, "#/kata/storage-gate");
    await page.locator(".cm-content").click();
    await page.keyboard.type("# mine\n");
    await page.locator("#chapter").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => location.hash !== "#/kata/storage-gate");
    assert.notEqual(await hash(page), "#/kata/storage-gate");
    await page.locator(".lede").waitFor();
    await page.keyboard.press("ArrowLeft");
    await heading(page, "The storage gate").waitFor();
    const code = await page.evaluate(() => document.querySelector("code-editor").text);
    assert.match(code, /# mine$/m);
  });

  test("none acts while one types, holds a modifier, or uses it for something else", async (t) => {
    const page = await opened(t, "#/chapter/the-pause-that-renewal-cannot-fix");
    await page.locator(".player").first().waitFor();
    const stays = async (what) => {
      await page.waitForTimeout(100);
      assert.equal(await dialog(page).count(), 0, what);
      assert.equal(await hash(page), "#/chapter/the-pause-that-renewal-cannot-fix", what);
    };
    await page.locator(".player").first().focus();
    for (const key of ["ArrowLeft", "ArrowRight"]) {
      await page.keyboard.press(key);
      await stays(`${key} in a player`);
    }
    for (const inside of [".scrub", ".speed"]) {
      await page.locator(inside).first().focus();
      for (const key of ["ArrowRight", "s"]) {
        await page.keyboard.press(key);
        await stays(`${key} in ${inside}`);
      }
    }
    await page.locator("main").focus();
    for (const key of ["Control+ArrowRight", "Alt+s", "Shift+S", "Meta+/"]) {
      await page.keyboard.press(key);
      await stays(key);
    }
    await page.keyboard.press("s");
    await field(page).waitFor();
  });

  test("none acts in the editor or on a separator", async (t) => {
    const page = await opened(t, "");
    await page.locator(".cm-content").click();
    for (const key of ["s", "/", "?", "ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
    await page.getByRole("separator", { name: "Width of the chapter" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(100);
    assert.equal(await dialog(page).count(), 0);
    assert.equal(await hash(page), "");
    assert.match(await page.evaluate(() => document.querySelector("code-editor").text), /s\/\?/);
  });

  test("? lists them all, those of a timeline too, and Esc gives the focus back", async (t) => {
    const page = await opened(t, "#/contents");
    const link = page.locator(".contents a").first();
    await link.focus();
    await page.keyboard.press("?");
    await dialog(page).getByRole("heading", { name: "Settings and keys" }).waitFor();
    const caps = dialog(page).locator("kbd");
    await caps.first().waitFor();
    const all = ["Ctrl+Enter", "S", "/", "←", "→", "?", "Esc", ...["S", "/", "←", "→", "?"], "←", "→", "Home", "End", "Space", "+", "−", "B"];
    assert.deepEqual(await caps.allTextContents(), all);
    await page.keyboard.press("s");
    assert.equal(await field(page).count(), 0, "nothing behind a dialog acts");
    await page.keyboard.press("Escape");
    assert.equal(await dialog(page).count(), 0);
    assert.ok(await hasFocus(link));
  });

  test("Esc closes one layer at a time", async (t) => {
    const page = await KataPage.open(await browser.newContext({ viewport: WIDE }), server.url);
    t.after(() => page.page.context().close());
    await page.ready();
    await page.runByKey();
    const share = page.page.getByRole("button", { name: "Share" });
    await share.click();
    const panel = page.page.getByRole("region", { name: "Link" });
    await panel.waitFor();
    await page.page.getByRole("button", { name: "Settings" }).click();
    await dialog(page.page).waitFor();
    await page.page.keyboard.press("Escape");
    assert.equal(await dialog(page.page).count(), 0);
    assert.equal(await panel.count(), 1);
    await panel.locator("button").first().focus();
    await page.page.keyboard.press("Escape");
    assert.equal(await panel.count(), 0);
  });

  test("the tests do not run behind a dialog", async (t) => {
    const page = await KataPage.open(await browser.newContext({ viewport: WIDE }), server.url);
    t.after(() => page.page.context().close());
    await page.ready();
    await page.page.getByRole("button", { name: "Settings" }).click();
    await dialog(page.page).waitFor();
    await page.page.keyboard.press("Control+Enter");
    await page.page.waitForTimeout(300);
    assert.equal(await page.runs(), 0);
    await page.page.keyboard.press("Escape");
    await page.runByKey();
  });

  test("single keys can be switched off, which is remembered; buttons and Ctrl+Enter stay", async (t) => {
    const page = await opened(t, LONG);
    await page.keyboard.press("?");
    await page.getByRole("switch").click();
    await page.keyboard.press("Escape");
    for (let time = 0; time < 2; time++) {
      for (const key of ["s", "/", "?", "ArrowLeft", "ArrowRight"]) await page.keyboard.press(key);
      await page.waitForTimeout(100);
      assert.equal(await dialog(page).count(), 0);
      assert.equal(await hash(page), LONG);
      await page.reload();
      await page.locator("h1").waitFor();
    }
    assert.equal((await stored(page)).keys, false);
    await page.getByRole("button", { name: "Search" }).click();
    await field(page).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("switch").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await field(page).waitFor();
  });
});

describe("search", () => {
  test("finds by keyboard, tells how many, marks the words, and opens the page at its section", async (t) => {
    const page = await opened(t, "#/contents");
    await page.keyboard.press("/");
    await field(page).waitFor();
    assert.ok(await hasFocus(field(page)));
    await page.keyboard.type("lost and still held");
    const first = page.getByRole("option").first();
    // What is found changes with every letter.
    await first.locator(".hit-heading mark", { hasText: /^held$/ }).waitFor();
    assert.match(await page.locator(".search [role=status]").textContent(), /^\d+ places?\.$/);
    assert.match(await first.locator(".hit-heading").textContent(), /^Lost, and still held$/);
    assert.deepEqual(await first.locator(".hit-heading mark").allTextContents(), ["Lost", "and", "still", "held"]);
    assert.equal(await first.getAttribute("aria-selected"), "true");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.id === "lost-and-still-held");
    assert.equal(await hash(page), "#/museum/losses-unheard/lost-and-still-held");
    assert.equal(await dialog(page).count(), 0);
  });

  test("goes through the places by arrows, around both ends", async (t) => {
    const page = await opened(t, "");
    await searching(page);
    await page.keyboard.type("jitter");
    const options = page.getByRole("option");
    // A title comes first, once all letters are there.
    await options.first().filter({ hasText: /jitter/i }).waitFor();
    const count = await options.count();
    assert.ok(count > 2);
    const at = async (i) => {
      assert.equal(await options.nth(i).getAttribute("aria-selected"), "true");
      assert.equal(await field(page).getAttribute("aria-activedescendant"), await options.nth(i).getAttribute("id"));
    };
    await page.keyboard.press("ArrowDown");
    await at(1);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await at(count - 1);
    const { y, height } = await options.nth(count - 1).boundingBox();
    assert.ok(y > 0 && y + height < WIDE.height, "it is in view");
    await page.keyboard.press("ArrowDown");
    await at(0);
  });

  test("knows katas, chapters, the museum, the panel beside the editor and interview questions, but no hints", async (t) => {
    const page = await opened(t, "");
    await searching(page);
    for (const [words, address] of [
      ["storage gate", "#/kata/storage-gate"],
      ["acquire with a fencing token", "#/kata/acquire-with-fencing"],
      ["why leases are dangerous", "#/chapter/why-leases-are-dangerous"],
      ["units zeros signs", "#/museum/units-zeros-and-signs"],
      ["break it yourself", "#/break"],
    ]) {
      await field(page).fill(words);
      assert.equal(await page.getByRole("option").first().getAttribute("href"), address, words);
    }
    await field(page).fill("class clock");
    await page.getByRole("option", { name: /What leasehold gives you/ }).first().click();
    await page.waitForFunction(() => document.activeElement?.id === "api-clock");
    assert.ok(await page.locator("#api-clock").isVisible(), "the panel is open");
    await searching(page);
    await field(page).fill("why");
    assert.ok((await page.getByRole("option", { name: /Interview question/ }).count()) > 0);
    await field(page).fill("zzzz");
    assert.equal(await status(page).textContent(), "Nothing has any of these words.");
    assert.equal(await page.getByRole("option").count(), 0);
  });

  test("a place on the page that is open is gone to, and what the tests found stays", async (t) => {
    const page = await KataPage.open(await browser.newContext({ viewport: WIDE }), server.url);
    t.after(() => page.page.context().close());
    await page.ready();
    await page.runByKey();
    for (let time = 0; time < 2; time++) {
      await page.page.locator("#chapter").evaluate((chapter) => (chapter.scrollTop = 0));
      await searching(page.page);
      await field(page.page).fill("your task");
      await page.page.locator('.hit[href="#/kata/acquire-with-fencing/your-task"]').click();
      await page.page.waitForFunction(() => document.activeElement?.id === "your-task");
      assert.ok((await scrolled(page.page)) > 0);
      assert.equal(await page.verdict.count(), 1);
    }
  });

  test("works while files are still on their way, and names those that can't be had", async (t) => {
    const own = await serve();
    t.after(() => own.close());
    let release;
    own.held.set("katas/fair-lock.kata", new Promise((go) => (release = go)));
    own.broken.add("katas/testing-time.chapter");
    const context = await browser.newContext({ viewport: WIDE });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(own.url);
    await page.getByRole("button", { name: "Search" }).click();
    await field(page).fill("storage gate");
    await page.waitForFunction(() => /Pages still to come: 1\.$/.test(document.querySelector(".search [role=status]").textContent));
    assert.equal(await page.getByRole("option").first().getAttribute("href"), "#/kata/storage-gate");
    release();
    await page.waitForFunction(() => !/still to come/.test(document.querySelector(".search [role=status]").textContent));
    await page.getByText("These could not be loaded: Testing time").waitFor();
    own.broken.clear();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("These could not be loaded").waitFor({ state: "detached" });
    await field(page).fill("testing time");
    assert.equal(await page.getByRole("option").first().getAttribute("href"), "#/chapter/testing-time");
  });

  test("every section that can be found is there to be gone to", async (t) => {
    const page = await opened(t, "");
    await searching(page);
    const ids = new Map();
    for (const name of await readdir(new URL("katas", `file://${process.env.DIST}/`))) {
      const [slug, kind] = name.split(".");
      if (!["kata", "chapter", "museum"].includes(kind)) continue;
      await page.goto(`${server.url}#/${kind}/${slug}`);
      await page.waitForFunction((slug) => document.querySelector("main .prose") && location.hash.includes(slug), slug);
      await page.locator(".opening").waitFor({ state: "detached" });
      const all = await page.locator(":not(live-picture *)[id]").evaluateAll((elements) => elements.map(({ id }) => id));
      assert.deepEqual(all.filter((id, i) => all.indexOf(id) < i), [], `${name}: an id twice`);
      const headings = await page.locator(".prose :is(h2, h3)").evaluateAll((elements) => elements.map(({ id }) => id));
      assert.ok(headings.length > 0 && headings.every((id) => id), name);
      // Where interview questions that are found lead.
      if (kind !== "museum") assert.ok(all.includes("questions"), `${name}: questions`);
      ids.set(slug, headings);
    }
    assert.ok(ids.size > 20);
  });
});

describe("Back", () => {
  test("leads to where one was in a long chapter, and to the link that one followed", async (t) => {
    for (const viewport of [WIDE, NARROW]) {
      const page = await opened(t, LONG, { viewport });
      const top = () => page.evaluate(() => (innerWidth > 1000 ? document.querySelector(".sheet") : document.scrollingElement).scrollTop);
      await page.locator(".picture live-picture > *").first().waitFor();
      const link = page.locator('.prose a[href^="#/"]').last();
      const name = await link.getAttribute("href");
      await link.scrollIntoViewIfNeeded();
      await page.waitForTimeout(300);
      const before = await top();
      assert.ok(before > 300);
      await link.click();
      await page.waitForFunction((name) => location.hash === name && document.querySelector("main") && !document.querySelector(".opening"), name);
      assert.ok((await top()) < 5, "another page begins at its top");
      await page.goBack();
      await page.waitForFunction((name) => document.activeElement?.getAttribute("href") === name, name);
      await page.waitForTimeout(600);
      assert.ok(Math.abs((await top()) - before) < 3, `${viewport.width}: ${before} and then ${await top()}`);
      await page.reload();
      await page.locator(".picture live-picture > *").first().waitFor();
      await page.waitForTimeout(600);
      assert.ok(Math.abs((await top()) - before) < 3, "after a reload");
    }
  });

  test("a page that is opened has the focus, and its name is told", async (t) => {
    const page = await opened(t, "#/contents");
    const where = page.locator("#where");
    assert.equal(await where.textContent(), "", "the first is told by the browser");
    await page.getByRole("link", { name: "Why leases are dangerous" }).click();
    await heading(page, "Why leases are dangerous").waitFor();
    assert.equal(await where.textContent(), "Leasehold: Why leases are dangerous");
    assert.ok(await hasFocus(page.locator("main")));
    await page.keyboard.press("PageDown");
    await page.waitForFunction(() => document.querySelector(".sheet").scrollTop > 100);
    await page.goto(`${server.url}#/kata/storage-gate`);
    await page.locator("#chapter:focus").waitFor();
  });
});

describe("settings", () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const LIGHT = "rgb(238, 241, 238)";
  const DARK = "rgb(15, 21, 23)";

  test("the theme is the system's until one is chosen, and a chosen one stays", async (t) => {
    const page = await opened(t, "#/contents", { colorScheme: "dark" });
    assert.equal(await ground(page), DARK);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Light" }).check();
    assert.equal(await ground(page), LIGHT);
    assert.deepEqual(await stored(page), { version: 1, keys: true, theme: "light", introduced: false });
    await page.reload();
    await page.locator("h1").waitFor();
    assert.equal(await ground(page), LIGHT);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "As the system" }).check();
    assert.equal(await ground(page), DARK);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await ground(page), LIGHT);
  });

  test("a chosen theme is there before the first paint, and in the other tab at once", async (t) => {
    const page = await opened(t, "#/contents", { colorScheme: "light" });
    const other = await page.context().newPage();
    await other.goto(server.url);
    await other.locator("h1").waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Dark" }).check();
    await other.waitForFunction((dark) => getComputedStyle(document.documentElement).backgroundColor === dark, DARK);
    const seen = await page.context().newPage();
    await seen.addInitScript(() => {
      new PerformanceObserver((list) => {
        window.first ??= list.getEntries().length && getComputedStyle(document.documentElement).backgroundColor;
      }).observe({ type: "paint", buffered: true });
    });
    await seen.goto(server.url);
    await seen.waitForFunction(() => window.first);
    assert.equal(await seen.evaluate(() => window.first), DARK);
  });

  for (const text of ["", "{", "null", "[]", '{"version":2,"keys":false}', '{"version":1,"keys":"no","theme":"pink","introduced":1}']) {
    test(`what can't be read counts as not set: ${text || "nothing"}`, async (t) => {
      const page = await withStorage(t, (text) => localStorage.setItem("leasehold:settings", text), text, { colorScheme: "light" });
      assert.equal(await page.locator(".introduction").count(), 1);
      assert.equal(await ground(page), LIGHT);
      await page.keyboard.press("s");
      await field(page).waitFor();
    });
  }

  test("where nothing can be stored it holds until the page is closed, and the page says so", async (t) => {
    const refuse = () => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("no", "SecurityError");
        },
      });
    };
    const page = await withStorage(t, refuse, null, { colorScheme: "light" });
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("radio", { name: "Dark" }).check();
    assert.equal(await ground(page), DARK);
    await page.getByText("holds until you close it").waitFor();
    await page.getByRole("switch").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await page.waitForTimeout(100);
    assert.equal(await dialog(page).count(), 0);
  });
});
