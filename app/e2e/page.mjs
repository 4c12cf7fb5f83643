// What the end-to-end tests share: a small static server, a browser, and the words of the page.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves a folder (the built page: DIST, or ./dist) below `path`. Files whose names are in `broken` answer 503; of one
 * in `held` the second half comes when its promise is kept.
 */
export async function serve({ path = "/", dist = process.env.DIST ?? "dist" } = {}) {
  const root = resolve(dist);
  const broken = new Set();
  const held = new Map();
  const asked = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(pathname);
    const below = pathname.startsWith(path) ? pathname.slice(path.length) : null;
    const file = below === null ? null : join(root, normalize(`/${below || "index.html"}`));
    const found = file && (await stat(file).catch(() => null));
    if (broken.has(below)) return response.writeHead(503).end();
    if (!found?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-length": found.size });
    if (held.has(below)) {
      const half = Math.floor(found.size / 2);
      for await (const chunk of createReadStream(file, { end: half - 1 })) response.write(chunk);
      await held.get(below);
      return createReadStream(file, { start: half }).pipe(response);
    }
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}${path}`,
    broken,
    held,
    asked,
    close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}

/** A browser. What stands between page and server (static/service-worker.js) only where a test asks for it. */
export async function launch() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = (options) => newContext({ serviceWorkers: "block", ...options });
  return browser;
}

export const WIDE = { width: 1440, height: 900 };
export const KEY = "leasehold:kata:acquire-with-fencing";
export const LOAD_MS = 30_000;

/** What a person types in the place of `return None`; the editor indents by itself, ⌫ steps out of the block. */
const RIGHT_LINES = [
  "now = self._clock()",
  "lock = self._locks.get(name)",
  'if lock is not None and now < lock["expiry"]:',
  "return None",
  "⌫self._counter += 1",
  'self._locks[name] = {"client": client_id, "expiry": now + ttl, "token": self._counter}',
  "return self._counter",
];

/** A page that has been opened, with what the tests do to it. */
export class KataPage {
  constructor(page) {
    this.page = page;
    this.problems = [];
    page.on("pageerror", (error) => this.problems.push(error.message));
    this.run = page.getByRole("button", { name: /Run Tests|Will run|Running/ });
    this.verdict = page.locator(".verdict h2");
    this.editor = page.locator(".cm-content");
    this.notice = page.locator(".notice");
  }

  static async open(context, url) {
    const page = new KataPage(await context.newPage());
    await page.page.goto(url);
    await page.page.locator("h1").waitFor();
    return page;
  }

  /** Waits until the interpreter is there. */
  async ready() {
    await this.page.locator(".engine").waitFor({ state: "detached", timeout: LOAD_MS });
  }

  /** The text in the editor, also what is scrolled out of sight. */
  code() {
    return this.page.evaluate(() => document.querySelector("code-editor").text);
  }

  /** Puts a whole file into the editor, in the place of all there is. */
  async fill(text) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /** Solves the kata the way a person does: selects what is to be replaced, types. */
  async typeRightLines() {
    const keyboard = this.page.keyboard;
    await this.editor.locator(".cm-line", { hasText: "# Your code goes here." }).click();
    for (const key of ["Home", "Shift+ArrowDown", "Shift+End"]) await keyboard.press(key);
    for (const [i, line] of RIGHT_LINES.entries()) {
      if (i > 0) await keyboard.press("Enter");
      if (line.startsWith("⌫")) await keyboard.press("Backspace");
      await keyboard.type(line.replace("⌫", ""));
    }
  }

  /** How many runs have come to a report. */
  async runs() {
    return Number((await this.page.locator(".results").getAttribute("data-run")) ?? 0);
  }

  /** Presses the shortcut and waits for the report. */
  async runByKey() {
    const before = await this.runs();
    await this.page.keyboard.press("Control+Enter");
    await this.reported(before);
  }

  /** Waits for a report later than the one with number `before`. */
  reported(before) {
    return this.page.waitForFunction(
      (before) => Number(document.querySelector(".results")?.dataset.run ?? 0) > before,
      before,
      { timeout: LOAD_MS },
    );
  }
}
