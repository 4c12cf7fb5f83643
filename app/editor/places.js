// Where one is in a page. With each entry of the history goes how far its page was scrolled and which link was followed from
// it, so that Back leads to the same place; a page that is opened anew begins at its top, or at the section that the address
// names, and has the focus.

history.scrollRestoration = "manual";

/** A page was arrived at before. */
let before = false;
/** What is in the document is the page of this entry, and stands where the reader has it. */
let here = false;
let soon = 0;
let stop = () => {};

/** What scrolls: the reading column on a wide screen, else the document. */
function scroller() {
  const inner = document.querySelector("main.sheet, #chapter");
  const scrolls = inner && inner.scrollHeight > inner.clientHeight && getComputedStyle(inner).overflowY === "auto";
  return scrolls ? inner : document.scrollingElement;
}

function keep(from) {
  clearTimeout(soon);
  if (here) history.replaceState({ top: scroller().scrollTop, from }, "");
}

addEventListener(
  "scroll",
  () => {
    clearTimeout(soon);
    soon = setTimeout(keep, 100);
  },
  true,
);
// A click that a key has made is on a link that nobody has seen.
addEventListener("click", (event) => keep(event.isTrusted && event.target.closest?.("a")?.getAttribute("href")), true);
addEventListener("hashchange", () => {
  stop();
  clearTimeout(soon);
  here = false;
});

/** Scrolls there, and again while pictures come and the page grows, until the reader moves. */
function hold(top) {
  const put = () => (scroller().scrollTop = top);
  const main = document.querySelector("main");
  const grows = new ResizeObserver(put);
  for (const place of [main, ...main.children]) grows.observe(place);
  const moves = ["wheel", "keydown", "pointerdown"];
  const end = setTimeout(() => stop(), 3000);
  const moved = new AbortController();
  stop = () => {
    grows.disconnect();
    clearTimeout(end);
    moved.abort();
    here = true;
    stop = () => {};
  };
  for (const name of moves) addEventListener(name, () => stop(), { capture: true, signal: moved.signal });
  put();
}

/** What is read next begins there. */
const focus = (place) => place?.focus({ preventScroll: true });

/** Goes to the section that the address names; false if there is none such. */
function toSection() {
  const section = document.getElementById(/^#\/\w+\/[\w-]+\/([\w-]+)$/.exec(location.hash)?.[1] ?? "");
  if (!section) return false;
  const panel = section.closest("details.api");
  if (panel) panel.open = true;
  section.scrollIntoView();
  focus(section);
  return true;
}

/** The page that the address asks for is in the document. */
globalThis.arrive = () => {
  const { state } = history;
  const first = !before;
  before = true;
  if (!first) document.querySelector("#where").textContent = document.title;
  const main = document.querySelector("#chapter") ?? document.querySelector("main");
  if (state && "top" in state) {
    const link = [...document.querySelectorAll("main a")].find((link) => link.getAttribute("href") === state.from);
    if (!first) focus(link ?? main);
    return hold(state.top);
  }
  here = true;
  if (toSection() || first) return;
  scroller().scrollTop = 0;
  focus(main);
};

/** Links within the document, which the addresses of pages leave no room for, and those to where one is already. */
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (!link || event.defaultPrevented) return;
  link.closest("dialog")?.close();
  if (link.closest(".skips")) {
    event.preventDefault();
    const place = document.querySelector(link.hash);
    place?.scrollIntoView();
    focus(place?.querySelector(".cm-content") ?? place);
  } else if (link.hash === location.hash) {
    toSection();
  }
});
