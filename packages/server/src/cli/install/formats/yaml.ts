import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Value } from '../installable.ts';
import { UneditableFile } from '../uneditable-file.ts';
import { type Editor, type Key, type Path, remembering } from './editor.ts';
import { appended, type List, removed } from './list.ts';
import {
  beforeLineEnd,
  edited,
  lineEndOf,
  lineStart,
  lineStop,
  linesBehind,
  type TextSpan,
  withoutLines,
} from './text.ts';

/** YAML, as Goose has it. Blocks get lines; what is written in brackets stays in brackets. */
export const yaml: Editor = {
  read: (text) => documentOf(text)?.toJS() as unknown,
  insert(text, path, value) {
    const key = path.at(-1)!;
    const root = documentOf(text)?.contents as ParsedNode | null | undefined;
    if (!root || isNull(root)) return edited(text, [linesBehind(text, text.length, blockLines(key, value))]);
    const parent = nodeAt(root, path.slice(0, -1));
    if (!isMap(parent) && !isSeq(parent)) throw unclear();
    if (parent.flow)
      return edited(
        text,
        appended(text, listOf(text, parent), () => flowText(key, value)),
      );
    const indent = ' '.repeat(columnOf(text, parent));
    return edited(text, [linesBehind(text, lastByte(text, parent), blockLines(key, value, indent))]);
  },
  replace(text, path, value) {
    const root = documentOf(text)!.contents as ParsedNode;
    const node = nodeAt(root, path);
    const pair = pairAt(root, path);
    if (pair && isNull(node) && typeof value === 'object') {
      const key = pair.key as ParsedNode;
      const indent = ' '.repeat(key.range[0] - lineStart(text, key.range[0]));
      const [, ...lines] = blockLines('x', value, indent);
      if (isImplicit(node)) return edited(text, [linesBehind(text, key.range[1], lines)]);
    }
    if ((isMap(node) || isSeq(node)) && !node.flow && typeof value === 'object') {
      const indent = ' '.repeat(columnOf(text, node));
      const lines = blockText(value).map((line, index) => (index === 0 ? line : indent + line));
      return edited(text, [{ from: startOf(node), to: lastByte(text, node), text: joined(text, lines) }]);
    }
    return edited(text, [{ ...spanOf(text, node), text: JSON.stringify(value) }]);
  },
  remove(text, path) {
    const root = documentOf(text)!.contents as ParsedNode;
    const parent = nodeAt(root, path.slice(0, -1)) as YAMLMap | YAMLSeq;
    const index = indexIn(parent, path.at(-1)!);
    if (parent.flow) return edited(text, removed(text, listOf(text, parent), index));
    const { from, to } = itemSpan(text, parent, index);
    const before = text.slice(lineStart(text, from), from);
    if (!/^\s*$/.test(before)) throw unclear();
    return edited(text, [withoutLines(text, { from, to })]);
  },
  source(text, path) {
    const { from, to } = spanOf(text, nodeAt(documentOf(text)!.contents as ParsedNode, path));
    return text.slice(from, to);
  },
  restore(text, path, source) {
    const root = documentOf(text)!.contents as ParsedNode;
    const node = nodeAt(root, path);
    if (!isImplicit(node)) return edited(text, [{ ...spanOf(text, node), text: source }]);
    if (source === '') return text;
    const colon = text.indexOf(':', (pairAt(root, path)!.key as ParsedNode).range[1]) + 1;
    return edited(text, [{ from: colon, to: colon, text: ` ${source}` }]);
  },
};

function unclear(): UneditableFile {
  return new UneditableFile('is written in a way that cannot be edited safely');
}

const documentOf = remembering((text: string) => {
  const documents = parseAllDocuments(text, { keepSourceTokens: true });
  if (!Array.isArray(documents)) return undefined;
  if (documents.length > 1) throw new UneditableFile('holds several YAML documents');
  const [document] = documents;
  const [error] = document?.errors ?? [];
  if (error) {
    const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
    throw new UneditableFile(`is not valid YAML (line ${line}, column ${col}: ${error.code})`);
  }
  return document;
});

const isNull = (node: Node): boolean => isScalar(node) && node.value === null;

/** Nothing is written at all, as behind `key:`. */
const isImplicit = (node: ParsedNode): boolean => isNull(node) && node.range[0] === node.range[1];

function keyOf(pair: Pair): unknown {
  return isScalar(pair.key) ? pair.key.value : undefined;
}

function nodeAt(root: ParsedNode, path: Path): ParsedNode {
  let node = root;
  for (const key of path) {
    if (isAlias(node))
      throw new UneditableFile('refers to a part of itself with an alias where our entry would be');
    if (!isMap(node) && !isSeq(node)) throw unclear();
    const item = node.items[indexIn(node, key)]!;
    node = (isSeq(node) ? item : (item as Pair).value) as ParsedNode;
    if (!node) throw unclear();
  }
  return node;
}

function pairAt(root: ParsedNode, path: Path): Pair | undefined {
  const parent = nodeAt(root, path.slice(0, -1));
  return isMap(parent) ? (parent.items[indexIn(parent, path.at(-1)!)] as Pair) : undefined;
}

function indexIn(node: YAMLMap | YAMLSeq | YAMLMap.Parsed | YAMLSeq.Parsed, key: Key): number {
  const index = isSeq(node) ? Number(key) : node.items.findIndex((pair) => keyOf(pair as Pair) === key);
  if (index < 0) throw unclear();
  return index;
}

type Collection = YAMLMap | YAMLSeq;

const startOf = (node: Collection): number => node.range![0];

const columnOf = (text: string, node: Collection): number => startOf(node) - lineStart(text, startOf(node));

/** Where what is written of a node ends, and neither white space nor comments behind it. */
function lastByte(text: string, node: Node): number {
  if ((isMap(node) || isSeq(node)) && !node.flow) {
    const last: unknown = node.items.at(-1);
    if (last === undefined) return startOf(node);
    if (isSeq(node)) return lastByte(text, last as Node);
    const { key, value } = last as Pair<Node, Node>;
    return value && !(isScalar(value) && value.range![0] === value.range![1])
      ? lastByte(text, value)
      : text.indexOf(':', key.range![1]) + 1;
  }
  // A block of text has its last line end in its range.
  return isScalar(node) && String(node.type).startsWith('BLOCK')
    ? beforeLineEnd(text, node.range![1])
    : node.range![1];
}

function spanOf(text: string, node: ParsedNode): TextSpan {
  return { from: node.range[0], to: Math.max(node.range[0], lastByte(text, node)) };
}

function itemSpan(text: string, parent: Collection, index: number): TextSpan {
  const item: unknown = parent.items[index];
  if (isSeq(parent)) {
    const node = item as ParsedNode;
    const dash = text.lastIndexOf('-', node.range[0] - 1);
    return { from: parent.flow ? node.range[0] : dash, to: lastByte(text, node) };
  }
  const { key, value } = item as Pair<ParsedNode, ParsedNode | null>;
  const end = value && !isImplicit(value) ? lastByte(text, value) : lineStop(text, key.range[1]);
  return { from: key.range[0], to: parent.flow && !value ? key.range[1] : end };
}

function listOf(text: string, node: Collection): List {
  return {
    inside: { from: node.range![0] + 1, to: node.range![1] - 1 },
    items: node.items.map((_, index) => itemSpan(text, node, index)),
    comment: '#',
    canBreak: false,
    step: '  ',
  };
}

const keyText = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key));

/** JSON is YAML, and stays on one line. */
function flowText(key: Key, value: Value): string {
  return typeof key === 'number' ? JSON.stringify(value) : `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

function blockText(value: Value): string[] {
  const options = {
    indent: 2,
    lineWidth: 0,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
  } as const;
  return stringify(value, options).trimEnd().split('\n');
}

function blockLines(key: Key, value: Value, indent = ''): string[] {
  const lines = blockText(value);
  const isBlock = typeof value === 'object' && Object.keys(value).length > 0;
  if (typeof key === 'number')
    return lines.map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`);
  if (!isBlock) return [`${indent}${keyText(key)}: ${lines.join(' ')}`];
  return [`${indent}${keyText(key)}:`, ...lines.map((line) => `${indent}  ${line}`)];
}

const joined = (text: string, lines: readonly string[]): string => lines.join(lineEndOf(text));
