// What takes a picture out of the page: the clipboard, files, a drawing that stands by itself. In Rust it would be kilobytes.
// Loaded with the pictures (picture.js).

/** Copies a text, and hands on whether the browser let it. */
globalThis.copyText = (text, done) =>
  Promise.resolve()
    .then(() => navigator.clipboard.writeText(text))
    .then(
      () => done(true),
      () => done(false),
    );

/** Offers a text as a file. */
globalThis.saveFile = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

/** Hands on the text of the file that was chosen in a field, or nothing if it can't be read; and whether it is larger than `most` bytes. */
globalThis.chosenText = async (field, most, came) => {
  const [file] = field.files;
  if (!file) return;
  const isLarge = file.size > most;
  const text = isLarge ? undefined : await file.text().catch(() => undefined);
  came(text, isLarge);
};

const SVG = "http://www.w3.org/2000/svg";

/** What a custom property comes to; of the colours for light and dark the one that is seen. */
function valued(name) {
  const root = document.documentElement;
  const value = getComputedStyle(root).getPropertyValue(name).trim();
  const [, light, dark] = /^light-dark\((\S+), ?(\S+)\)$/.exec(value) ?? [null, value, value];
  const isDark = { light: false, dark: true }[root.dataset.theme] ?? matchMedia("(prefers-color-scheme: dark)").matches;
  return isDark ? dark : light;
}

/** The rules for drawings, with the theme's colours in the place of their names. */
function rules() {
  const all = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return []; // an extension's
    }
  });
  return all
    .filter(({ selectorText: of }) => /\.(tl-|diagram text)/.test(of) && !/legend|svg/.test(of))
    .map(({ cssText }) => cssText.replace(/var\((--[\w-]+)\)/g, (_, name) => valued(name)))
    .join("\n");
}

/** The drawings of a timeline, one below the other, as an SVG that needs nothing else; without what says where one is in it. */
globalThis.standingAlone = (place, title, text) => {
  const make = (name, attributes, words = "") => {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    element.textContent = words;
    return element;
  };
  let height = 0;
  let width = 0;
  const drawings = [...place.querySelectorAll("svg.diagram-heads, svg.diagram-body")].map((drawing) => {
    const box = drawing.viewBox.baseVal;
    const copy = drawing.cloneNode(true);
    for (const name of ["role", "aria-label", "aria-hidden", "class"]) copy.removeAttribute(name);
    for (const now of copy.querySelectorAll(".tl-now, .tl-now-edge, .tl-veil, .spots")) now.remove();
    for (const [key, value] of [["y", height], ["width", box.width], ["height", box.height]]) copy.setAttribute(key, value);
    height += box.height;
    width = Math.max(width, box.width);
    return copy;
  });
  const root = make("svg", { class: "diagram", role: "img", viewBox: `0 0 ${width} ${height}`, width, height });
  const ground = valued("--sheet");
  root.append(make("title", {}, title), make("desc", {}, text), make("style", {}, rules()));
  root.append(make("rect", { width, height, fill: ground }), ...drawings);
  // What XML has no place for.
  return new XMLSerializer().serializeToString(root).replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, " ");
};
