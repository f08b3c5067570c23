import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import styles from './code.module.css';
import { basics, lineEnds, markdown, shadowOf } from './theme.ts';

interface SourceEditorProps {
  label: string;
  /** What it begins with; it keeps what is written from then on. */
  text: string;
  onChange: (text: string) => void;
  onSave?: (() => void) | undefined;
}

/**
 * What is typed over a selection is put there by us. The browser would give what it puts there a style of its own, which the
 * policy of the page forbids, and it would complain of itself.
 */
const replaces = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== 'insertText' || isComposing || data === null || view.state.selection.main.empty)
      return false;
    event.preventDefault();
    const change = view.state.replaceSelection(data);
    view.dispatch(change, { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** Markdown as it is written. Tab leaves it, as any field. */
export default function SourceEditor({ label, text, onChange, onSave }: SourceEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ onChange, onSave });
  useEffect(() => {
    latest.current = { onChange, onSave };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins with the text, and then has its own
  useEffect(() => {
    const root = shadowOf(host.current!);
    const save = () => {
      latest.current.onSave?.();
      return true;
    };
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineEnds(text),
          lineNumbers(),
          history(),
          highlightSpecialChars(),
          keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }, ...defaultKeymap, ...historyKeymap]),
          basics(label),
          markdown,
          replaces,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.sliceDoc());
          }),
          EditorView.theme({ '&': { height: '100%' }, '.cm-scroller': { overflow: 'auto' } }),
        ],
      }),
    });
    return () => view.destroy();
  }, [label]);
  return <div ref={host} className={styles.editor} />;
}
