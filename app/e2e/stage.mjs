// The server and the browser of one file of tests.
import { after } from "node:test";
import { launch, serve } from "./page.mjs";

/** Both, until the file's last test is over. */
export async function stage() {
  const server = await serve();
  after(() => server.close());
  const browser = await launch();
  after(() => browser.close());
  return { server, browser };
}
