// The element <live-picture kind=…>: a place that the program `pictures` (app/src/bin/pictures.rs) draws. That program is
// loaded when the first such place is in the page, or when the browser has nothing else to do, and with it its styles and what
// it needs that can't be Rust (carry.js).

const stamp = document.querySelector("meta[name=leasehold-worker]")?.content ?? "";
/** The address of a file of this build beside the page. */
export const sibling = (name) => {
  const url = new URL(name, document.baseURI);
  url.search = stamp;
  return url.href;
};

/** Its styles, after those of the page. */
const styles = () =>
  new Promise((came, failed) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = sibling("pictures.css");
    link.onload = came;
    link.onerror = () => {
      link.remove();
      failed();
    };
    document.head.append(link);
  });

let loading = null;

/** The program. A failed load is tried again by whoever asks next. */
function load() {
  loading ??= (async () => {
    const [glue] = await Promise.all([import(sibling("pictures.js")), import(sibling("pictures-carry.js")), styles()]);
    await glue.default({ module_or_path: fetch(sibling("pictures_bg.wasm")) });
    glue.start();
    return glue;
  })().catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

class LivePicture extends HTMLElement {
  #data = "";
  #mounted = null;
  /** Options of a focus() that came before there was anything to focus. */
  #wanted = null;

  get data() {
    return this.#data;
  }

  set data(json) {
    this.#data = json;
    this.#mounted?.update(json);
  }

  connectedCallback() {
    this.#show();
  }

  disconnectedCallback() {
    this.#mounted?.unmount();
    this.#mounted = null;
  }

  /** Focuses what in it takes keys, now or once it is there. */
  focus(options = {}) {
    const inner = this.querySelector("[tabindex='0']");
    this.#wanted = inner ? null : options;
    inner?.focus(options);
  }

  async #show() {
    try {
      const glue = await load();
      if (!this.isConnected || this.#mounted) return;
      this.#mounted = glue.mount(this, this.getAttribute("kind"), this.#data);
      // Drawn in a microtask of its own.
      requestAnimationFrame(() => this.#wanted && this.focus(this.#wanted));
    } catch {
      this.#failed();
    }
  }

  #failed() {
    const say = document.createElement("p");
    say.className = "picture-missing";
    say.textContent = "The picture could not be loaded. ";
    const again = document.createElement("button");
    again.type = "button";
    again.textContent = "Try again";
    again.onclick = () => {
      this.replaceChildren();
      this.#show();
    };
    say.append(again);
    this.replaceChildren(say);
  }
}

customElements.define("live-picture", LivePicture);

// Not before the page is there: it and the interpreter come first.
const idle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 500));
addEventListener("load", () => idle(() => load().catch(() => {})));
