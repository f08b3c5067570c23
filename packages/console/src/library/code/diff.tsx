import { getChunks, getOriginalDoc, MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { useMedia } from '../../design/hooks/use-media.ts';
import styles from './code.module.css';
import { type CommentedLines, commentable, setCommented } from './comments.ts';
import { placeInOther } from './places.ts';
import { basics, lineEnds, readOnly, shadowOf } from './theme.ts';

export type DiffSide = 'published' | 'draft';

export interface DiffComments {
  published: CommentedLines;
  draft: CommentedLines;
  /** Somebody chose a line to say something about. */
  onLine: (side: DiffSide, line: number) => void;
}

interface DiffViewProps {
  before: string;
  after: string;
  labels: { before: string; after: string };
  /** Long stretches in which nothing changed are one line each. */
  isCollapsed?: boolean;
  comments?: DiffComments | undefined;
  /** A line to go to: again where `turn` is another. */
  revealed?: { side: DiffSide; line: number; turn: number } | undefined;
}

/** Differences beyond this many changed letters are told roughly, and fast. */
const DIFF = { scanLimit: 500, timeout: 200 };
const COLLAPSED = { margin: 4, minSize: 6 };

/** Two versions beside each other; below each other where there is little room. */
export default function DiffView(props: DiffViewProps) {
  const { before, after, labels, isCollapsed = true, comments, revealed } = props;
  const isNarrow = useMedia('(max-width: 760px)');
  const host = useRef<HTMLDivElement>(null);
  const views = useRef<Partial<Record<DiffSide, EditorView>>>({});
  const onLine = useRef(comments?.onLine);
  useEffect(() => {
    onLine.current = comments?.onLine;
  });
  const hasComments = comments !== undefined;
  useEffect(() => {
    const root = shadowOf(host.current!);
    const side = (name: DiffSide, text: string, label: string): Extension => [
      lineEnds(text),
      hasComments ? commentable((line) => onLine.current?.(name, line)) : [],
      lineNumbers(),
      highlightSpecialChars(),
      readOnly,
      basics(label),
    ];
    const shape = { ...(isCollapsed && { collapseUnchanged: COLLAPSED }), diffConfig: DIFF, gutter: true };
    if (isNarrow) {
      const view = new EditorView({
        root,
        parent: root,
        state: EditorState.create({
          doc: after,
          extensions: [
            side('draft', after, labels.after),
            unifiedMergeView({ original: before, mergeControls: false, ...shape }),
            EditorView.theme({ '&': { maxHeight: HEIGHT }, '.cm-scroller': { overflow: 'auto' } }),
          ],
        }),
      });
      views.current = { draft: view };
      return () => view.destroy();
    }
    const merge = new MergeView({
      root,
      parent: root,
      a: { doc: before, extensions: side('published', before, labels.before) },
      b: { doc: after, extensions: side('draft', after, labels.after) },
      ...shape,
    });
    merge.dom.style.cssText = `max-height: ${HEIGHT}; overflow-y: auto;`;
    views.current = { published: merge.a, draft: merge.b };
    return () => merge.destroy();
  }, [before, after, labels.before, labels.after, isCollapsed, isNarrow, hasComments]);
  const published = comments?.published;
  const draft = comments?.draft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new editors are told again
  useEffect(() => {
    if (published) views.current.published?.dispatch({ effects: setCommented.of(published) });
    if (draft) views.current.draft?.dispatch({ effects: setCommented.of(draft) });
  }, [published, draft, before, after, isCollapsed, isNarrow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    const view = revealed && (views.current[revealed.side] ?? views.current.draft);
    if (!revealed || !view) return;
    // Below each other there is one editor, which holds the draft: a line of what is published is where it was.
    const isOther = views.current[revealed.side] === undefined;
    const { doc } = isOther ? { doc: getOriginalDoc(view.state) } : view.state;
    if (revealed.line > doc.lines) return;
    const place = doc.line(revealed.line).from;
    const from = isOther ? placeInOther(getChunks(view.state)?.chunks ?? [], place) : place;
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    view.focus();
  }, [revealed, isCollapsed, isNarrow]);
  return <div ref={host} className={styles.diff} />;
}

const HEIGHT = 'max(20rem, calc(100dvh - 18rem))';
