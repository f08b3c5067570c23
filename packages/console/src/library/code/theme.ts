import { EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from '@codemirror/view';

/**
 * Editors stand in a shadow root: there their styles are sheets that the page adopts. In the document they would be style
 * elements, which the policy of the page forbids. Tokens reach into it.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  if (host.shadowRoot) return host.shadowRoot;
  const root = host.attachShadow({ mode: 'open' });
  // Whoever asks for the selection has the whole page laid out, and editors ask whenever they scroll.
  const selection = () => (root.activeElement === null ? NO_SELECTION : selectionIn(root));
  Object.defineProperty(root, 'getSelection', { value: selection });
  return root;
}

const NO_SELECTION = { anchorNode: null, anchorOffset: 0, focusNode: null, focusOffset: 0, rangeCount: 0 };

/** Some browsers tell a shadow root's selection as the document's. */
function selectionIn(root: ShadowRoot): Selection | null {
  const { getSelection } = ShadowRoot.prototype as { getSelection?: () => Selection | null };
  return getSelection ? getSelection.call(root) : document.getSelection();
}

const look = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    fontSize: 'var(--size-2)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.55', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--text)', padding: 'var(--space-2) 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--text-faint)',
    backgroundColor: 'var(--panel)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 var(--space-2)', minWidth: '2.5rem' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--chosen) !important',
  },
  '.cm-content ::selection': { backgroundColor: 'var(--chosen)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-markdown-heading': { color: 'var(--accent)', fontWeight: '600' },
  '.cm-markdown-code': { color: 'var(--note)' },
  '.cm-markdown-mark': { color: 'var(--text-faint)' },
  // Where two versions differ.
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-soft)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    textDecoration: 'underline',
    textDecorationColor: 'var(--bad)',
    textDecorationThickness: '2px',
  },
  '&.cm-merge-b .cm-changedText': {
    background: 'none',
    textDecoration: 'underline',
    textDecorationColor: 'var(--good)',
    textDecorationThickness: '2px',
  },
  '.cm-deletedLine, .cm-deletedLine del, .cm-insertedLine': { textDecoration: 'none' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--good)' },
  '.cm-collapsedLines': {
    color: 'var(--text-soft)',
    background: 'var(--sunken)',
    padding: 'var(--space-1) var(--space-3)',
    fontFamily: 'var(--font-text)',
    fontSize: 'var(--size-1)',
  },
  // Its signs are in no font of the page.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '""', margin: '0' },
  '.cm-commentedLine': { boxShadow: 'inset 3px 0 0 var(--warn)', backgroundColor: 'var(--warn-soft)' },
  '.cm-commentGutter': { width: '1.25rem', color: 'var(--warn)', textAlign: 'center', cursor: 'pointer' },
});

/** A look at Markdown that needs no parser: headings, code, and the marks of lists. */
export const markdown = (() => {
  const mark = (name: string) => Decoration.mark({ class: `cm-markdown-${name}` });
  const [heading, code, sign] = [mark('heading'), mark('code'), mark('mark')];
  const matcher = new MatchDecorator({
    regexp: /^#{1,6} .*$|`[^`\n]+`|^\s*(?:[-*+]|\d+[.)])(?= )|^(?:---|```.*)$/gm,
    decoration: ([text]) => (text.startsWith('#') ? heading : text.startsWith('`') ? code : sign),
    maxLength: 2000,
  });
  return ViewPlugin.define(
    (view) => ({
      decorations: matcher.createDeco(view),
      update(update) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );
})();

/** What every editor here has; `label` is what it is called. */
export function basics(label: string): Extension {
  return [
    look,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': label,
      spellcheck: 'true',
      tabindex: '0',
    }),
  ];
}

/** One can go through it, and select, but change nothing. */
export const readOnly: Extension = [
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true', spellcheck: 'false' }),
];

/** Lines end as they do in the text: what nobody changes stays as it is, to the byte. */
export function lineEnds(text: string): Extension {
  return EditorState.lineSeparator.of(/(^|[^\r])\n/.test(text) || !text.includes('\n') ? '\n' : '\r\n');
}
