// How the editor looks, in the page's own colours (static/css/tokens.css), which follow light and dark.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

export const colours = HighlightStyle.define([
  { tag: [t.keyword, t.operatorKeyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword], color: "var(--code-keyword)" },
  { tag: [t.function(t.definition(t.variableName)), t.definition(t.className)], color: "var(--code-name)", fontWeight: "600" },
  { tag: [t.string, t.special(t.string)], color: "var(--code-string)" },
  { tag: [t.number, t.bool, t.null, t.self], color: "var(--code-value)" },
  { tag: t.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [t.meta, t.annotation], color: "var(--code-comment)" },
]);

export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--sheet)", fontSize: "var(--text-code)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { padding: "var(--s2) 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 var(--s3) 0 var(--s2)" },
  ".cm-cursor": { borderLeft: "2px solid var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection":
    { backgroundColor: "var(--selection)" },
  ".cm-gutters": { backgroundColor: "var(--sheet)", color: "var(--ink-faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.2em", padding: "0 var(--s2) 0 0" },
  ".cm-gutter-lint": { width: "1.1em" },
  ".cm-activeLine": { backgroundColor: "var(--line-active)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "1px solid var(--accent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--bad)" },
  ".cm-problem-line": { backgroundColor: "var(--bad-wash)", boxShadow: "inset 3px 0 0 var(--bad)" },
  ".cm-step-line": { backgroundColor: "var(--accent-wash)", boxShadow: "inset 3px 0 0 var(--accent)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--rule)",
    borderRadius: "var(--radius)",
  },
  ".cm-diagnostic": { padding: "var(--s2) var(--s3)", maxWidth: "60ch", whiteSpace: "pre-wrap", fontFamily: "var(--sans)" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
});
