import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import type { Value } from '../installable.ts';
import { UneditableFile } from '../uneditable-file.ts';
import { type Editor, type Key, type Path, remembering } from './editor.ts';
import { appended, type List, removed } from './list.ts';
import {
  beforeLineEnd,
  type Edit,
  edited,
  lineEndOf,
  lineStart,
  linesBehind,
  nextLine,
  type TextSpan,
  withoutLines,
} from './text.ts';

/** TOML, as Codex has it. What is an object becomes a table at the end; what is not, a line where it belongs. */
export const toml: Editor = {
  read: (text) => getStaticTOMLValue(programOf(text)),
  insert(text, path, value) {
    const body = bodyOf(text);
    const parent = path.slice(0, -1);
    const key = path.at(-1)!;
    const inline = inlineAt(body, parent);
    if (inline) {
      const name = typeof key === 'string' ? `${keyText(key)} = ` : '';
      return edited(
        text,
        appended(text, listOf(inline), () => name + inlineText(value)),
      );
    }
    if (typeof key === 'number') return withTables(text, tableLines(parent, value, '[['));
    if (isObject(value) || isTables(value)) return withTables(text, tableLines(path, value));
    return withLine(text, body, parent, key, value);
  },
  replace(text, path, value) {
    const where = placeOf(text, path);
    if (where.kind === 'inline') return edited(text, [{ ...where.span, text: inlineText(value) }]);
    const header = typeof path.at(-1) === 'number' ? tableLines(path.slice(0, -1), value, '[[') : undefined;
    const lines = header ?? tableLines(path, value);
    return edited(text, [{ ...whole(where.spans), text: lines.join(lineEndOf(text)) }]);
  },
  remove(text, path) {
    const body = bodyOf(text);
    const inline = inlineAt(body, path.slice(0, -1));
    if (inline) return edited(text, removed(text, listOf(inline), indexIn(inline, path.at(-1)!)));
    const tables = groups(body, path).map(spanOfTables);
    const lines = valuesBelow(body, path);
    return edited(text, [
      ...tables.map((span) => withoutTables(text, span)),
      ...lines.map((line) =>
        isAllOfLateTable(line, body)
          ? withoutTables(text, spanOf(line.parent))
          : withoutLines(text, spanOf(line)),
      ),
    ]);
  },
  source(text, path) {
    if (path.length === 0) return '';
    const where = placeOf(text, path);
    const { from, to } = where.kind === 'inline' ? where.span : whole(where.spans);
    return text.slice(from, to);
  },
  restore(text, path, source) {
    if (path.length === 0) return text;
    const where = placeOf(text, path);
    const span = where.kind === 'inline' ? where.span : whole(where.spans);
    return edited(text, [{ ...span, text: source }]);
  },
};

type Body = AST.TOMLTopLevelTable['body'];

const programOf = remembering((text: string): AST.TOMLProgram => {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { lineNumber, column, message } = error;
    throw new UneditableFile(`is not valid TOML (line ${lineNumber}, column ${column + 1}: ${message})`);
  }
});

const bodyOf = (text: string): Body => programOf(text).body[0].body;

const spanOf = ({ range: [from, to] }: { range: readonly [number, number] }): TextSpan => ({ from, to });

const isPrefix = (start: Path, path: Path): boolean =>
  start.length <= path.length && start.every((key, index) => path[index] === key);

const namesOf = ({ keys }: AST.TOMLKey): string[] =>
  keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));

interface Line {
  path: Path;
  node: AST.TOMLKeyValue;
}

/** Every `key = value` that stands on a line of its own, by its whole path. */
function linesOf(body: Body): Line[] {
  const ofTable = (prefix: Path, nodes: readonly AST.TOMLKeyValue[]): Line[] =>
    nodes.map((node) => ({ path: [...prefix, ...namesOf(node.key)], node }));
  return body.flatMap((node) =>
    node.type === 'TOMLTable' ? ofTable(node.resolvedKey, node.body) : ofTable([], [node]),
  );
}

/** Lines that make up what stands at a path, outside of tables of its own. */
function valuesBelow(body: Body, path: Path): AST.TOMLKeyValue[] {
  const inTables = new Set(groups(body, path).flat());
  return linesOf(body)
    .filter((line) => isPrefix(path, line.path) && !inTables.has(line.node.parent as AST.TOMLTable))
    .map(({ node }) => node);
}

/** Tables at or below a path, those that follow one another together. */
function groups(body: Body, path: Path): AST.TOMLTable[][] {
  const found: AST.TOMLTable[][] = [];
  let isOpen = false;
  for (const node of body) {
    const isBelow = node.type === 'TOMLTable' && isPrefix(path, node.resolvedKey);
    if (isBelow && isOpen) found.at(-1)!.push(node);
    else if (isBelow) found.push([node]);
    isOpen = isBelow;
  }
  return found;
}

/** The one line of a table that comes behind tables below it: nobody but us writes a header there. */
function isAllOfLateTable({ parent }: AST.TOMLKeyValue, body: Body): boolean {
  if (parent.type !== 'TOMLTable' || parent.body.length > 1) return false;
  const before = body.slice(0, body.indexOf(parent));
  return before.some((node) => node.type === 'TOMLTable' && isPrefix(parent.resolvedKey, node.resolvedKey));
}

function spanOfTables(tables: readonly AST.TOMLTable[]): TextSpan {
  return { from: tables[0]!.range[0], to: tables.at(-1)!.range[1] };
}

type Inline = AST.TOMLContentNode;

/** The inline value at a path, where a line or an inline value holds it. */
function inlineAt(body: Body, path: Path): Inline | undefined {
  const line = linesOf(body).find((one) => isPrefix(one.path, path));
  if (!line) return undefined;
  let node: Inline | undefined = line.node.value;
  let rest = path.slice(line.path.length);
  while (rest.length > 0 && node) {
    const [key] = rest as [Key];
    if (typeof key === 'number') {
      node = node.type === 'TOMLArray' ? node.elements[key] : undefined;
      rest = rest.slice(1);
      continue;
    }
    const inner: AST.TOMLKeyValue | undefined =
      node.type === 'TOMLInlineTable' ? node.body.find((one) => isPrefix(namesOf(one.key), rest)) : undefined;
    if (inner) rest = rest.slice(namesOf(inner.key).length);
    node = inner?.value;
  }
  return node;
}

function listOf(node: Inline): List {
  const children =
    node.type === 'TOMLArray' ? node.elements : node.type === 'TOMLInlineTable' ? node.body : [];
  return {
    inside: { from: node.range[0] + 1, to: node.range[1] - 1 },
    items: children.map(spanOf),
    comment: '#',
    canBreak: false,
    step: '  ',
  };
}

function indexIn(node: Inline, key: Key): number {
  if (typeof key === 'number') return key;
  const index =
    node.type === 'TOMLInlineTable' ? node.body.findIndex((one) => namesOf(one.key)[0] === key) : -1;
  if (index < 0) throw new UneditableFile('is written in a way that cannot be edited safely');
  return index;
}

type Where = { kind: 'inline'; span: TextSpan } | { kind: 'tables'; spans: readonly TextSpan[] };

function placeOf(text: string, path: Path): Where {
  const body = bodyOf(text);
  const inline = inlineAt(body, path);
  if (inline) return { kind: 'inline', span: spanOf(inline) };
  if (valuesBelow(body, path).length > 0) {
    throw new UneditableFile(`has ${path.join('.')} written with dotted keys, which are not replaced`);
  }
  return { kind: 'tables', spans: groups(body, path).map(spanOfTables) };
}

function whole(spans: readonly TextSpan[]): TextSpan {
  if (spans.length !== 1) throw new UneditableFile('has one table in several places, which are not replaced');
  return spans[0]!;
}

/** One empty line before them, and the end of the file as it was: ended by a line end, or not. */
function withTables(text: string, lines: readonly string[]): string {
  const end = lineEndOf(text);
  if (text === '') return lines.join(end) + end;
  const isEnded = text.endsWith('\n');
  return text + end + (isEnded ? '' : end) + lines.join(end) + (isEnded ? end : '');
}

function withoutTables(text: string, span: TextSpan): Edit {
  const start = lineStart(text, span.from);
  const stop = nextLine(text, span.to);
  const isOpenEnded = stop === text.length && text[stop - 1] !== '\n';
  const blank = beforeLineEnd(text, start);
  const isBlank = blank < start && lineStart(text, blank) === blank;
  const from = isBlank ? blank : start;
  return { from: isOpenEnded ? beforeLineEnd(text, from) : from, to: stop, text: '' };
}

/** A line behind the last one of its table; of the top, before the first table. */
function withLine(text: string, body: Body, parent: Path, key: string, value: Value): string {
  const table = body.find((node) => node.type === 'TOMLTable' && samePath(node.resolvedKey, parent));
  const own = parent.length === 0 ? body.filter((node) => node.type === 'TOMLKeyValue') : [];
  const dotted = parent.length === 0 ? [] : valuesBelow(body, parent);
  const line = `${keyText(key)} = ${inlineText(value)}`;
  if (table?.type === 'TOMLTable') {
    const [, header] = table.key.range;
    return edited(text, [linesBehind(text, table.body.at(-1)?.range[1] ?? header, [line])]);
  }
  const last = own.at(-1) ?? dotted.at(-1);
  if (parent.length === 0) {
    if (last) return edited(text, [linesBehind(text, last.range[1], [line])]);
    return line + lineEndOf(text) + text;
  }
  if (!last) return withTables(text, [`[${parent.map((one) => keyText(String(one))).join('.')}]`, line]);
  const prefix = namesOf(last.key).slice(0, parent.length - pathAbove(last).length);
  const name = [...prefix, key].map(keyText).join('.');
  return edited(text, [linesBehind(text, last.range[1], [`${name} = ${inlineText(value)}`])]);
}

const pathAbove = ({ parent }: AST.TOMLKeyValue): Path =>
  parent.type === 'TOMLTable' ? parent.resolvedKey : [];

const samePath = (one: Path, other: Path): boolean => one.length === other.length && isPrefix(one, other);

function isObject(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && !Array.isArray(value);
}

/** A list of objects alone, which TOML writes as tables. */
function isTables(value: Value): value is readonly { readonly [key: string]: Value }[] {
  return Array.isArray(value) && value.length > 0 && value.every((one: Value) => isObject(one));
}

/** A header, its lines, and below it what are tables themselves. */
function tableLines(path: Path, value: Value, bracket: '[' | '[[' = '['): string[] {
  if (isTables(value)) return value.flatMap((one) => tableLines(path, one, '[['));
  const entries = Object.entries(value as { readonly [key: string]: Value });
  const lines = entries.filter(([, inner]) => !isObject(inner) && !isTables(inner));
  const below = entries.filter(([, inner]) => isObject(inner) || isTables(inner));
  const isNeeded = bracket === '[[' || lines.length > 0 || below.length === 0;
  const name = path
    .filter((key) => typeof key === 'string')
    .map(keyText)
    .join('.');
  return [
    ...(isNeeded ? [`${bracket}${name}${bracket === '[[' ? ']]' : ']'}`] : []),
    ...lines.map(([key, inner]) => `${keyText(key)} = ${inlineText(inner)}`),
    ...below.flatMap(([key, inner]) => tableLines([...path, key], inner)),
  ];
}

const keyText = (key: string): string => (/^[\w-]+$/.test(key) ? key : stringText(key));

function inlineText(value: Value): string {
  if (typeof value === 'string') return stringText(value);
  if (Array.isArray(value)) return `[${value.map(inlineText).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${inlineText(inner)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** JSON writes strings as TOML does, but for one control character that TOML wants escaped. */
function stringText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
