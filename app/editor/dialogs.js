// Dialogs: what is in them is drawn by the program `pictures`. One is open at a time; closed, it gives the focus back.

/** Opens one with this kind of picture, see app/src/pictures.rs. */
globalThis.openDialog = (kind, title) => {
  if (document.querySelector("dialog[open]")) return;
  // One that was closed a moment ago hears of that later.
  document.querySelector("dialog.dialog")?.remove();
  const dialog = document.createElement("dialog");
  dialog.className = `dialog dialog-${kind}`;
  dialog.setAttribute("aria-labelledby", "dialog");
  dialog.setAttribute("closedby", "any");
  const heading = document.createElement("h2");
  heading.id = "dialog";
  heading.textContent = title;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.onclick = () => dialog.close();
  const picture = document.createElement("live-picture");
  picture.setAttribute("kind", kind);
  dialog.append(heading, close, picture);
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
  picture.focus();
};

// Back or forward leads elsewhere.
addEventListener("hashchange", () => document.querySelector("dialog[open]")?.close());
