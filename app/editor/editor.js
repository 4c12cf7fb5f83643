// <code-editor>: CodeMirror as one element, so that the page needs to know nothing of it but the methods below and
// the event `code-change`, whose detail is the whole text. It comes from typing only, never from a method.
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { markedLines, markLine } from "./marked-lines.js";
import { colours, theme } from "./theme.js";

const byMethod = Annotation.define();

// The page listens for the run keys everywhere; here they only must not type a line break.
const runKeys = ["Mod-Enter", "Ctrl-Enter"].map((key) => ({ key, run: () => true }));

class CodeEditor extends HTMLElement {
  #view = null;

  connectedCallback() {
    this.#view ??= new EditorView({ parent: this, state: this.#state("") });
  }

  #state(doc) {
    return EditorState.create({
      doc,
      extensions: [
        keymap.of([...runKeys, indentWithTab, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        lintGutter(),
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        EditorState.readOnly.of(this.hasAttribute("read-only")),
        pythonLanguage,
        syntaxHighlighting(colours),
        theme,
        // Of the page's policy: the library puts its rules into a <style>.
        EditorView.cspNonce.of(document.querySelector("meta[name=leasehold-build]")?.content ?? ""),
        markedLines,
        EditorView.contentAttributes.of({
          // Focusable anyway; said again for what judges by the attribute.
          tabindex: "0",
          "aria-label": this.getAttribute("label") ?? "Code",
          "aria-describedby": this.getAttribute("described-by") ?? "",
        }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((t) => t.annotation(byMethod))) return;
          this.dispatchEvent(new CustomEvent("code-change", { detail: update.state.doc.toString() }));
        }),
      ],
    });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  /** Begins with `text`: there is nothing to undo. */
  begin(text) {
    this.#view.setState(this.#state(text));
  }

  /** Puts `text` in the place of all there is, as one step that can be undone. */
  replace(text) {
    const { doc } = this.#view.state;
    this.#view.dispatch({
      changes: { from: 0, to: doc.length, insert: text },
      annotations: [byMethod.of(true), isolateHistory.of("full")],
    });
  }

  /** Marks the line where a test failed; 0 for none. `column` counts from 1, 0 if it is unknown. */
  markProblem(line, column, message) {
    const at = this.#line(line);
    const diagnostics = [];
    if (at) {
      const from = Math.min(at.to, at.from + Math.max(0, column - 1));
      const indent = at.text.length - at.text.trimStart().length;
      diagnostics.push({ from: column ? from : at.from + indent, to: at.to, severity: "error", message });
    }
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
    this.#mark("problem", at);
  }

  /** Marks the line that acted in the timeline's current step; 0 for none. */
  markStep(line) {
    this.#mark("step", this.#line(line));
  }

  /** Scrolls the editor's own box only: what is stepped through may stand below it, and is not to leave the window. */
  #mark(kind, line) {
    this.#view.dispatch({ effects: markLine.of({ kind, from: line?.from ?? null }) });
    if (!line) return;
    const box = this.#view.scrollDOM;
    const { top, bottom } = this.#view.lineBlockAt(line.from);
    box.scrollTop = Math.min(Math.max(box.scrollTop, bottom + 40 - box.clientHeight), top - 40);
  }

  /** Puts the cursor on a line and the focus into the editor. */
  goTo(line) {
    const at = this.#line(Math.max(1, Math.min(line, this.#view.state.doc.lines)));
    const indent = at.text.length - at.text.trimStart().length;
    this.#view.dispatch({
      selection: { anchor: at.from + indent },
      effects: EditorView.scrollIntoView(at.from, { y: "center" }),
    });
    this.#view.focus();
  }

  #line(line) {
    const { doc } = this.#view.state;
    return line >= 1 && line <= doc.lines ? doc.line(line) : null;
  }
}

customElements.define("code-editor", CodeEditor);
