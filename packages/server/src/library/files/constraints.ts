import { createRequire } from 'node:module';
import type { Constraint } from '@infold/protocol';
import type { Heading, List, ListItem, Nodes, RootContent } from 'mdast';
import type { fromMarkdown as FromMarkdown } from 'mdast-util-from-markdown';
import { Cache } from '../../kernel/cache.ts';
import { readFrontMatter } from './front-matter.ts';
import { bareHash } from './hashes.ts';

const require = createRequire(import.meta.url);
let parser: typeof FromMarkdown | undefined;

/** The parser takes as long to load as the rest of the program: it is loaded when a rule is first parsed. */
const fromMarkdown: typeof FromMarkdown = ((...values: Parameters<typeof FromMarkdown>) => {
  parser ??= (require('mdast-util-from-markdown') as { fromMarkdown: typeof FromMarkdown }).fromMarkdown;
  return parser(...values);
}) as typeof FromMarkdown;

/** Inline markup does not decide what a constraint is, and leaving it out keeps odd files from taking long. */
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'definition',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};
const INLINE_MARKUP = /[*_`[\]<>&\\!]/;
const MOST_TITLE = 300;
/**
 * The parser takes quadratic time on thousands of small blocks and on deep nesting. A rule has neither; what
 * follows after so much of it is not looked at, so that no file can hold up the server.
 */
const MOST_CHARACTERS = 256 * 1024;
const MOST_LINES = 10_000;
const MOST_BLOCKS = 2000;
const BLOCK_START = /^[ \t]*(?:[-*+>#=`~<]|\d{1,9}[.)])/;
const TOO_DEEP = /^(?:[ \t]{60,}(?:[-*+>]|\d{1,9}[.)])|(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t]*){30})/;

function withinReason(source: string): string {
  let at = 0;
  let blocks = 0;
  for (let lines = 0; at < source.length && lines < MOST_LINES; lines++) {
    const end = source.indexOf('\n', at);
    const next = end === -1 ? source.length : end + 1;
    if (next > MOST_CHARACTERS && lines > 0) return source.slice(0, at);
    const line = source.slice(at, Math.min(next, at + 400));
    if (TOO_DEEP.test(line)) return source.slice(0, at);
    if (BLOCK_START.test(line) && ++blocks > MOST_BLOCKS) return source.slice(0, at);
    at = next;
  }
  return source.slice(0, Math.min(at, MOST_CHARACTERS));
}

interface Section {
  title: string;
  /** The items of every list in it, in order. */
  items: ListItem[];
  from: number;
  to: number;
}

/**
 * LIB-06: the sections and items of a rule that an agent can say it applied. An H2 gives the whole section
 * (`Title`), and where it holds a list its items too (`Title/1`); one that says nothing gives none. The same text
 * gives the same result always.
 */
export function parseConstraints(content: string): Constraint[] {
  return locateConstraints(content).map(({ line: _line, ...constraint }) => constraint);
}

/** The same with the line of the file that the text of each begins at, from 1. */
export function locateConstraints(content: string): (Constraint & { line: number })[] {
  const { body } = readFrontMatter(content);
  const lines = content.slice(0, content.length - body.length).split(/\r\n?|\n/).length;
  const source = withinReason(body.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n'));
  const given = new Ids();
  return sectionsOf(source).flatMap(({ title, items, from, to }) => {
    const section = source.slice(from, to).trim();
    if (saysNothing(section)) return [];
    const found = items.map((item) => ({ text: itemText(source, item), line: lineOf(item) }));
    const id = given.free(title, found.length);
    const first = from + source.slice(from, to).search(/\S/);
    return [{ text: section, line: source.slice(0, first).split('\n').length }, ...found]
      .map((each, index) => ({ id: index === 0 ? id : `${id}/${index}`, ...each }))
      .filter(({ text }) => text !== '')
      .map(({ id, text, line }) => ({
        ...{ id, name: title, text, textHash: bareHash(text) },
        line: line + lines - 1,
      }));
  });
}

/** Comments and the markers of empty items are nothing to apply. */
function saysNothing(section: string): boolean {
  return (
    section === '' ||
    section.replaceAll(/<!--[\s\S]*?-->|^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*$/gm, '').trim() === ''
  );
}

function sectionsOf(source: string): Section[] {
  const sections: Section[] = [];
  let open: Section | undefined;
  for (const node of fromMarkdown(source, { extensions: [BLOCKS_ONLY] }).children) {
    if (isHeading(node) && node.depth <= 2) {
      if (open) open.to = start(node);
      open =
        node.depth === 2
          ? { title: titleOf(source, node), items: [], from: end(node), to: source.length }
          : undefined;
      if (open) sections.push(open);
    } else if (open && isList(node)) {
      for (const item of node.children) open.items.push(item);
    }
  }
  return sections;
}

/** Ids are unique in a file: a repeated title, or one that imitates an item of another, gets a number. */
class Ids {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  /** The section's id; those of its items are taken with it. */
  free(title: string, items: number): string {
    for (let number = this.#next.get(title) ?? 1; ; number++) {
      const id = number === 1 ? title : `${title} (${number})`;
      const ids = [id, ...Array.from({ length: items }, (_, index) => `${id}/${index + 1}`)];
      if (ids.some((one) => this.#taken.has(one))) continue;
      for (const one of ids) this.#taken.add(one);
      this.#next.set(title, number + 1);
      return id;
    }
  }
}

/** The item's own text, nested items included, without its marker and without the indent that the marker asked for. */
function itemText(source: string, item: ListItem): string {
  const first = item.children[0];
  if (!first) return '';
  const indent = (first.position?.start.column ?? 1) - 1;
  const [head = '', ...rest] = source.slice(start(first), end(item)).split('\n');
  return [head, ...rest.map((line) => withoutIndent(line, indent))].join('\n').trim();
}

function withoutIndent(line: string, most: number): string {
  let columns = 0;
  let index = 0;
  while (index < line.length && columns < most) {
    if (line[index] === ' ') columns += 1;
    else if (line[index] === '\t') columns += 4 - (columns % 4);
    else break;
    index++;
  }
  return line.slice(index);
}

/** What a reader sees of the heading: `## Use **whole** words` is "Use whole words". */
function titleOf(source: string, heading: Heading): string {
  const [first, last] = [heading.children[0], heading.children.at(-1)];
  const raw = first && last ? source.slice(start(first), end(last)) : '';
  const short = raw.slice(0, MOST_TITLE);
  const shown = INLINE_MARKUP.test(short) ? plainText(fromMarkdown(short)) : short;
  return shown.replaceAll(/\s+/g, ' ').trim() || raw.slice(0, MOST_TITLE).trim() || '(untitled)';
}

function plainText(node: Nodes): string {
  if ('value' in node && node.type !== 'html') return node.value;
  if (node.type === 'image') return node.alt ?? '';
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map((child) => plainText(child)).join('') : '';
}

const isHeading = (node: RootContent): node is Heading => node.type === 'heading';
const isList = (node: RootContent): node is List => node.type === 'list';
const start = (node: Nodes): number => node.position?.start.offset ?? 0;
const end = (node: Nodes): number => node.position?.end.offset ?? 0;
const lineOf = (node: Nodes): number => node.position?.start.line ?? 1;

/** A heading with a line of text below it that nothing underlines, and what could enclose both. */
const PLAIN_SECTION = /^## +[^\s#].*\n\s*?(?:[-*] |\d+\. )?[\p{L}\p{N}].*\n(?:[ \t]*$|[-*] |\d+\. )/mu;
const MAY_ENCLOSE = /<|```|~~~/;

/** Whether anything in a text can be referred to. A quick look answers for most files; the others are parsed. */
export function hasConstraints(content: string): boolean {
  const { body } = readFrontMatter(content);
  const section = PLAIN_SECTION.exec(body);
  if (section && !MAY_ENCLOSE.test(body.slice(0, section.index))) return true;
  return parseConstraints(content).length > 0;
}

/** What is parsed takes a few times as much as its text. */
const PARSED_FACTOR = 4;
const parsed = new Cache<Constraint[]>(16 * 1024 * 1024);

/** Parsing takes a millisecond for a page: what was parsed lately is kept, by the content's hash. */
export function constraintsOf(hash: string, content: string): Constraint[] {
  let constraints = parsed.get(hash);
  if (!constraints) {
    constraints = parseConstraints(content);
    parsed.set(hash, constraints, PARSED_FACTOR * content.length);
  }
  return constraints;
}
