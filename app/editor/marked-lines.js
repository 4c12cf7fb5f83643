// Backgrounds of whole lines: where a test failed, and where the timeline's current step acted. They move with the
// text and go when their line is edited away.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

/** `{ kind: "problem" | "step", from: start of the line, or null for none }` */
export const markLine = StateEffect.define({
  map: (mark, changes) => (mark.from === null ? mark : { ...mark, from: changes.mapPos(mark.from) }),
});

const looks = {
  problem: Decoration.line({ class: "cm-problem-line" }),
  step: Decoration.line({ class: "cm-step-line" }),
};

export const markedLines = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue;
      const { kind, from } = effect.value;
      const add = from === null ? [] : [looks[kind].range(from)];
      marks = marks.update({ filter: (_from, _to, mark) => mark !== looks[kind], add });
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});
