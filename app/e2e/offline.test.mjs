// After one visit the page works without a network, and a newer build is offered, never forced.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { KataPage, LOAD_MS, serve, WIDE } from "./page.mjs";
import { stage } from "./stage.mjs";

const { server, browser } = await stage();

async function context(t) {
  const context = await browser.newContext({ viewport: WIDE, serviceWorkers: "allow" });
  t.after(() => context.close());
  return context;
}

/** Until all is kept. */
const kept = (page) => page.page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active.state));

test("after one visit everything works without a network", async (t) => {
  const offline = await context(t);
  const page = await KataPage.open(offline, server.url);
  await page.ready();
  await kept(page);
  await offline.setOffline(true);

  await page.page.reload();
  await page.ready();
  await page.runByKey();
  assert.match(await page.verdict.textContent(), /of \d+ tests passed/);
  await page.page.locator(".player").first().waitFor();
  for (const [address, place] of [
    ["#/contents", ".contents"],
    ["#/kata/fair-lock", ".cm-content"],
    ["#/chapter/the-life-of-a-handle", ".states"],
    ["#/museum/losses-unheard", ".player"],
    ["#/break/one-pause", ".code-lines"],
    ["#/ttl", "live-picture svg"],
  ]) {
    await page.page.goto(`${server.url}${address}`);
    await page.page.locator(place).first().waitFor({ timeout: LOAD_MS });
  }
  assert.deepEqual(page.problems, []);
});

test("what waits for no network is asked of the network: a page that the server has anew is shown at once", async (t) => {
  const online = await context(t);
  const page = await KataPage.open(online, server.url);
  await page.ready();
  await kept(page);
  server.asked.length = 0;
  await page.page.reload();
  await page.ready();
  assert.ok(server.asked.includes("/"), "the page itself was asked for");
  assert.ok(!server.asked.some((path) => /wasm$/.test(path)), `the rest was not: ${server.asked}`);
});

test("a newer build is offered and leaves alone who types", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "leasehold-"));
  after(() => rm(folder, { recursive: true }));
  await cp(process.env.DIST ?? "dist", folder, { recursive: true });
  const changing = await serve({ dist: folder });
  after(() => changing.close());
  const online = await context(t);
  const page = await KataPage.open(online, changing.url);
  await page.ready();
  await kept(page);

  for (const name of ["index.html", "service-worker.js"]) {
    const text = await readFile(join(folder, name), "utf8");
    const [, version] = /leasehold-build" content="([0-9a-f]{16})/.exec(await readFile(join(process.env.DIST ?? "dist", "index.html"), "utf8"));
    await writeFile(join(folder, name), text.replaceAll(version, "0123456789abcdef"));
  }
  await page.fill("# half a thought\n");
  await page.page.evaluate(() => navigator.serviceWorker.getRegistration().then((registration) => registration.update()));
  const offer = page.page.locator(".update");
  await offer.waitFor({ timeout: LOAD_MS });
  assert.match(await offer.getByRole("status").textContent(), /new version/);
  assert.equal(await page.code(), "# half a thought\n");

  // What is open still finds the files of its own build.
  await page.page.goto(`${changing.url}#/kata/storage-gate`);
  await page.page.getByText("StaleFencingToken").first().waitFor();
  await page.page.goto(`${changing.url}#/kata/acquire-with-fencing`);
  await page.editor.waitFor();

  await offer.getByRole("button", { name: "Reload" }).click();
  await page.page.waitForFunction(() => document.querySelector("meta[name=leasehold-build]")?.content === "0123456789abcdef");
  await page.editor.waitFor();
  assert.equal(await page.code(), "# half a thought\n");
  assert.equal(await offer.count(), 0);
  assert.deepEqual(page.problems, []);
});

test("the page can be installed: a manifest with a name, a start, an icon and a display of its own", async (t) => {
  const page = await KataPage.open(await context(t), server.url);
  const manifest = await page.page.evaluate(async () => {
    const address = document.querySelector("link[rel=manifest]").href;
    const manifest = await (await fetch(address)).json();
    const icons = await Promise.all(manifest.icons.map(({ src }) => fetch(new URL(src, address)).then(({ ok }) => ok)));
    return { ...manifest, icons, start: new URL(manifest.start_url, address).href };
  });
  assert.equal(manifest.name, "Leasehold");
  assert.equal(manifest.display, "standalone");
  assert.deepEqual(manifest.icons, [true]);
  assert.equal(manifest.start, server.url);
});
