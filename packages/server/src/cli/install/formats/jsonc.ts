import { type Node, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Value } from '../installable.ts';
import { UneditableFile } from '../uneditable-file.ts';
import { type Editor, type Path, placeIn, remembering } from './editor.ts';
import { appended, type List, removed } from './list.ts';
import { edited, indentAt, lineEndOf, lineStart, onNewLine, type TextSpan } from './text.ts';

/** JSON with comments and trailing commas, as most hosts read their settings. */
export const jsonc: Editor = {
  read(text) {
    const root = rootOf(text);
    return root && said(root);
  },
  insert(text, path, value) {
    const root = rootOf(text);
    if (!root) return onNewLine(text) + nested(path, value, lineEndOf(text));
    const parent = nodeAt(root, path.slice(0, -1));
    const key = path.at(-1)!;
    const name = typeof key === 'string' ? `${JSON.stringify(key)}: ` : '';
    const step = stepOf(text, root);
    return edited(
      text,
      appended(text, listOf(text, parent, root), (indent) => name + written(text, value, indent, step)),
    );
  },
  replace(text, path, value) {
    const root = rootOf(text)!;
    const node = nodeAt(root, path);
    const indent = isOnOneLine(text, root) ? undefined : indentAt(text, node.offset);
    return edited(text, [{ ...spanOf(node), text: written(text, value, indent, stepOf(text, root)) }]);
  },
  remove(text, path) {
    const root = rootOf(text)!;
    const node = nodeAt(root, path);
    const item = node.parent?.type === 'property' ? node.parent : node;
    const parent = item.parent!;
    return edited(text, removed(text, listOf(text, parent, root), parent.children!.indexOf(item)));
  },
  source(text, path) {
    const { from, to } = spanOf(nodeAt(rootOf(text)!, path));
    return text.slice(from, to);
  },
  restore(text, path, source) {
    return edited(text, [{ ...spanOf(nodeAt(rootOf(text)!, path)), text: source }]);
  },
};

const rootOf = remembering((text: string): Node | undefined => {
  const errors: Parameters<typeof parseTree>[1] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first) {
    const what = printParseErrorCode(first.error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    throw new UneditableFile(`is not valid JSON (${placeIn(text, first.offset)}:${what})`);
  }
  return root;
});

function said(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(said);
  if (node.type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => [children![0]!.value, said(children![1]!)]),
  );
}

function nodeAt(root: Node, path: Path): Node {
  let node = root;
  for (const key of path) {
    const children = node.children ?? [];
    const found =
      typeof key === 'number'
        ? [children[key]!]
        : children.filter(({ children: [name] = [] }) => name!.value === key).map((one) => one.children![1]!);
    // Readers do not agree on which of the two counts.
    if (found.length > 1) throw new UneditableFile(`has the key "${key}" twice in one object`);
    node = found[0]!;
  }
  return node;
}

const spanOf = ({ offset, length }: Node): TextSpan => ({ from: offset, to: offset + length });

function listOf(text: string, node: Node, root: Node): List {
  return {
    inside: { from: node.offset + 1, to: node.offset + node.length - 1 },
    items: (node.children ?? []).map(spanOf),
    comment: '//',
    canBreak: !isOnOneLine(text, root),
    step: stepOf(text, root),
  };
}

/** A file that somebody keeps on one line stays on one line. An empty object is nobody's style. */
function isOnOneLine(text: string, root: Node): boolean {
  const { from, to } = spanOf(root);
  return (root.children ?? []).length > 0 && !text.slice(from, to).includes('\n');
}

/** One step of indentation, as the first key has it. */
function stepOf(text: string, root: Node): string {
  const first = root.children?.[0];
  if (!first) return '  ';
  const before = text.slice(lineStart(text, first.offset), first.offset);
  return /^([ ]+|\t+)$/.test(before) ? before : '  ';
}

function written(text: string, value: Value, indent: string | undefined, step: string): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, step).replaceAll('\n', lineEndOf(text) + indent);
}

/** A whole document for a text that says nothing yet. */
function nested(path: Path, value: Value, lineEnd: string): string {
  const whole = path.reduceRight<Value>((inner, key) => ({ [key]: inner }), value);
  return JSON.stringify(whole, null, 2).replaceAll('\n', lineEnd) + lineEnd;
}
