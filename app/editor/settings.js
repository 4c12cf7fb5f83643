// What the reader has set: one record in the browser's storage, {version, keys, theme, introduced}. It is read, checked and
// written here alone, since the theme must stand before the first paint. What can't be read counts as not set; what can't be
// stored holds until the page is closed.

const KEY = "leasehold:settings";
const VERSION = 1;
const THEMES = ["auto", "light", "dark"];
const usual = { keys: true, theme: "auto", introduced: false };
const now = { ...usual };

function read() {
  let stored = null;
  try {
    stored = JSON.parse(localStorage.getItem(KEY));
  } catch {
    // Blocked, or no JSON.
  }
  if (stored?.version !== VERSION) stored = {};
  for (const name in usual) {
    const value = stored[name];
    const fits = name === "theme" ? THEMES.includes(value) : typeof value === "boolean";
    now[name] = fits ? value : usual[name];
  }
}

/** Puts it onto the document, for style sheets: which theme, and whether single keys do nothing. */
function apply() {
  const root = document.documentElement;
  root.dataset.theme = now.theme;
  root.dataset.keys = now.keys ? "on" : "off";
  // The colour of the browser's own frame.
  for (const meta of document.querySelectorAll("meta[data-scheme]")) {
    const { scheme } = meta.dataset;
    meta.media = now.theme === "auto" ? `(prefers-color-scheme: ${scheme})` : now.theme === scheme ? "all" : "not all";
  }
}

read();
apply();
addEventListener("storage", ({ key }) => {
  if (key !== KEY && key !== null) return;
  read();
  apply();
});

globalThis.readSetting = (name) => now[name];

/** Whether it could be stored. */
globalThis.keepSetting = (name, value) => {
  now[name] = value;
  apply();
  try {
    localStorage.setItem(KEY, JSON.stringify({ version: VERSION, ...now }));
    return true;
  } catch {
    return false;
  }
};
