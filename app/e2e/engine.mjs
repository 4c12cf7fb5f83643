// The page's worker without the page: Python in, the report's JSON out, byte for byte as the worker wrote it.

export class Engine {
  #page;
  #worker;
  #runs = 0;

  constructor(page, worker) {
    this.#page = page;
    this.#worker = worker;
  }

  /** Starts the worker of the built page that `server` (see page.mjs) serves, in a blank page of the same origin. */
  static async start(context, server) {
    const blank = `${server.url}blank`;
    await context.route(blank, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Blank</title>" }));
    const page = await context.newPage();
    await page.goto(blank);
    const [worker] = await Promise.all([
      page.waitForEvent("worker"),
      page.evaluate(
        () =>
          new Promise((ready, failed) => {
            const worker = new Worker("worker-boot.js", { type: "module" });
            const answers = new Map();
            worker.onerror = (event) => failed(new Error(event.message));
            worker.onmessage = ({ data }) => {
              const { type, id, message } = JSON.parse(data);
              if (type === "ready") return ready();
              if (type === "failed") return failed(new Error(message));
              window.signs = type === "alive" ? { message, at: performance.now() } : null;
              if (type === "alive") return;
              answers.get(id)?.({ data, at: performance.now() });
            };
            window.send = async (order) => {
              const answer = new Promise((answered) => answers.set(order.id, answered));
              const start = performance.now();
              worker.postMessage(JSON.stringify(order));
              const { data, at } = await answer;
              answers.delete(order.id);
              return { data, ms: at - start };
            };
          }),
      ),
    ]);
    return new Engine(page, worker);
  }

  /** One run: the text of its report, and the milliseconds from question to answer as the page sees them. */
  async run(kata, source) {
    const id = ++this.#runs;
    const { data, ms } = await this.#page.evaluate((order) => window.send(order), { type: "run", id, kata, source });
    const before = `{"type":"report","id":${id},"report":`;
    if (!data.startsWith(before)) throw new Error(`no report came, but ${data.slice(0, 500)}`);
    return { report: data.slice(before.length, -1), ms };
  }

  /**
   * One run of a program that may not come back. What the page would tell: the report's text, or the words of the crash, or
   * those of the last sign if none comes for `silence` milliseconds. After the last two the worker is not to be used again.
   */
  async tried(kata, source, silence) {
    const id = ++this.#runs;
    return this.#page.evaluate(
      async ({ order, silence }) => {
        window.signs = null;
        const start = performance.now();
        const silent = new Promise((given) => {
          const timer = setInterval(() => {
            if (performance.now() - (window.signs?.at ?? start) < silence) return;
            clearInterval(timer);
            given({ data: JSON.stringify({ type: "silent", message: window.signs?.message ?? "" }) });
          }, 50);
        });
        const { data } = await Promise.race([window.send(order), silent]);
        return { ...JSON.parse(data), ms: performance.now() - start };
      },
      { order: { type: "run", id, kata, source }, silence },
    );
  }

  /** One replay: the text of the test's report. */
  async replay(kata, source, replay) {
    const id = ++this.#runs;
    const { data } = await this.#page.evaluate((order) => window.send(order), { type: "replay", id, kata, source, replay });
    const before = `{"type":"replayed","id":${id},"test":`;
    if (!data.startsWith(before)) throw new Error(`no run came, but ${data.slice(0, 500)}`);
    return data.slice(before.length, -1);
  }

  /** Schedules a second: so many drawn ones of 16 operations on a right file of kata 1, and nothing else. */
  drawn(source, count, seed) {
    return this.#worker.evaluate(
      async ([source, count, seed]) => {
        const glue = await import(new URL("worker.js", self.location.href).href);
        const start = performance.now();
        const fine = glue.run_drawn(source, count, seed);
        const ms = performance.now() - start;
        if (fine !== count) throw new Error(`${fine} of ${count} schedules broke nothing`);
        return (count / ms) * 1e3;
      },
      [source, count, seed],
    );
  }

  /** How many bytes of memory the worker's wasm has. It can only grow. */
  memory() {
    // The module that the boot module imported, and not a second one; started already, it hands out what it exports.
    return this.#worker.evaluate(async () => {
      const glue = await import(new URL("worker.js", self.location.href).href);
      return (await glue.default()).memory.buffer.byteLength;
    });
  }
}
