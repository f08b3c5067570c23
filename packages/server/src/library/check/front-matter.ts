import { FILE_KINDS, HOST_NAMES } from '@infold/protocol';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { readFrontMatter } from '../files/front-matter.ts';
import { globProblem } from '../files/globs.ts';
import { isSafePath } from '../files/paths.ts';
import { isTrue, valuesIn } from '../files/traits.ts';

/** What Infold reads, and what the rule files of other tools have. */
const KNOWN = new Set([
  ...['kind', 'group', 'description', 'steps', 'name', 'title', 'tags', 'models'],
  ...['applies_to', 'hosts', 'deprecated', 'successor'],
  ...['globs', 'alwaysApply', 'applyTo', 'paths', 'inclusion', 'fileMatchPattern', 'trigger', 'type'],
]);

export interface FrontMatterProblem {
  /** Of the file, from 1. */
  line: number;
  message: string;
}

/** What stands in a file's front matter and means nothing to Infold. */
export function frontMatterProblems(content: string): FrontMatterProblem[] {
  const { body } = readFrontMatter(content);
  const block = content.slice(0, content.length - body.length);
  if (block === '') {
    const opens = /^\uFEFF?---[ \t]*\r?\n[A-Za-z][\w-]*:/.test(content);
    return opens ? [{ line: 1, message: 'The front matter has no end: a line "---" is missing' }] : [];
  }
  const lines = new LineCounter();
  // The first and the last line of the block are its marks.
  const yaml = block
    .split(/\r?\n/)
    .slice(1)
    .join('\n')
    .replace(/(?:^|\n)(?:---|\.\.\.)[ \t]*\n?$/, '');
  const document = parseDocument(yaml, { lineCounter: lines, logLevel: 'silent' });
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const [wrong] = document.errors;
  if (wrong) {
    const message = `The front matter is not YAML: ${wrong.message.split('\n')[0]!.replace(/ at line .*$/, '')}`;
    return [{ line: lineAt(wrong.pos[0]), message }];
  }
  if (!isMap(document.contents)) return [{ line: 1, message: 'The front matter holds no fields' }];
  return document.contents.items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    const line = lineAt(key.range?.[0] ?? 0);
    if (!KNOWN.has(name)) return [{ line, message: `"${name}" means nothing to Infold` }];
    const said: unknown = value === null ? null : (value as { toJSON(): unknown }).toJSON();
    const message = problemOf(name, said, document.toJS() as Record<string, unknown>);
    return message === undefined ? [] : [{ line, message }];
  });
}

/** What is wrong with the value of a field that means something. */
function problemOf(name: string, value: unknown, all: Record<string, unknown>): string | undefined {
  switch (name) {
    case 'kind':
      return FILE_KINDS.some((known) => known === value)
        ? undefined
        : `The kind must be ${FILE_KINDS.join(', ')}; it is "${String(value)}"`;
    case 'tags':
      return textsProblem(name, value);
    case 'applies_to': {
      const [bad] = valuesIn(value).flatMap((one) => {
        const problem = globProblem(one);
        return problem ? [`The pattern "${one}" of applies_to ${problem}`] : [];
      });
      return textsProblem(name, value) ?? bad;
    }
    case 'hosts': {
      const unknown = valuesIn(value).find((one) => !HOST_NAMES.some((host) => host === one.toLowerCase()));
      const message = `"${unknown}" is no host: there are ${HOST_NAMES.join(', ')}`;
      return textsProblem(name, value) ?? (unknown === undefined ? undefined : message);
    }
    case 'deprecated':
      return typeof value === 'boolean' ? undefined : 'deprecated must be true or false';
    case 'successor':
      if (typeof value !== 'string' || !isSafePath(value)) return 'successor must be the path of a file';
      return isTrue(all.deprecated) ? undefined : 'successor says nothing without "deprecated: true"';
    default:
      return undefined;
  }
}

function textsProblem(name: string, value: unknown): string | undefined {
  const isTexts = Array.isArray(value)
    ? value.every((one) => typeof one === 'string')
    : typeof value === 'string';
  return isTexts && valuesIn(value).length > 0 ? undefined : `${name} must be a text or a list of texts`;
}
