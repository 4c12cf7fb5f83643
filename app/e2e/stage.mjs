// The server and the browser of one file of tests.
import assert from "node:assert/strict";
import { after } from "node:test";
import { launch, serve, WIDE } from "./page.mjs";

/** Both, until the file's last test is over, and what opens a page in them. */
export async function stage() {
  const server = await serve();
  after(() => server.close());
  const browser = await launch();
  after(() => browser.close());

  /** A page at an address, once the element `until` is there; at the test's end it must have thrown nothing. */
  async function opened(t, address, { until = "h1", ...options } = {}) {
    const context = await browser.newContext({ viewport: WIDE, ...options });
    t.after(() => context.close());
    const page = await context.newPage();
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    t.after(() => assert.deepEqual(problems, []));
    await page.goto(`${server.url}${address}`);
    if (until) await page.locator(until).first().waitFor();
    return page;
  }

  return { server, browser, opened };
}
