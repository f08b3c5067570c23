import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter } from '@codemirror/view';

/** Lines that somebody has commented on, with how often. */
export type CommentedLines = ReadonlyMap<number, number>;

export const setCommented = StateEffect.define<CommentedLines>();

class Mark extends GutterMarker {
  readonly #times: number;

  constructor(times: number) {
    super();
    this.#times = times;
  }

  override eq(other: Mark): boolean {
    return other.#times === this.#times;
  }

  override toDOM(): Node {
    const mark = document.createElement('span');
    mark.textContent = '●';
    mark.title = this.#times === 1 ? '1 comment' : `${this.#times} comments`;
    return mark;
  }
}

const line = Decoration.line({ class: 'cm-commentedLine' });

interface Marks {
  lines: DecorationSet;
  commented: CommentedLines;
}

const marks = StateField.define<Marks>({
  create: () => ({ lines: Decoration.none, commented: new Map() }),
  update(before, { effects, state }) {
    const set = effects.find((effect) => effect.is(setCommented));
    if (!set) return before;
    const commented = set.value as CommentedLines;
    const builder = new RangeSetBuilder<Decoration>();
    for (const number of [...commented.keys()].sort((one, other) => one - other)) {
      if (number > state.doc.lines) continue;
      const { from } = state.doc.line(number);
      builder.add(from, from, line);
    }
    return { lines: builder.finish(), commented };
  },
  provide: (field) => EditorView.decorations.from(field, ({ lines }) => lines),
});

/** Marks commented lines; a press on the mark, or Enter on a line, is about that line. */
export function commentable(onLine: (line: number) => void): Extension {
  return [
    marks,
    gutter({
      class: 'cm-commentGutter',
      lineMarker(view, { from }) {
        const times = view.state.field(marks).commented.get(view.state.doc.lineAt(from).number);
        return times === undefined ? null : new Mark(times);
      },
      lineMarkerChange: (update) => update.startState.field(marks) !== update.state.field(marks),
      domEventHandlers: {
        mousedown(view, { from }) {
          onLine(view.state.doc.lineAt(from).number);
          return true;
        },
      },
    }),
    EditorView.domEventHandlers({
      keydown(event, view) {
        if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey) return false;
        onLine(view.state.doc.lineAt(view.state.selection.main.head).number);
        return true;
      },
    }),
  ];
}
