import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');

/** Everything in backticks in the third column: types, functions and tables. */
const carriers = glossary.split('\n').flatMap((line) => {
  const cells = line.split('|');
  if (cells.length !== 5) return [];
  return [...cells[3]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
});

const sources = readdirSync(join(root, 'packages'))
  .map((name) => join(root, 'packages', name, 'src'))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|suite|property)\./.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  )
  .join('\n');

describe('the glossary', () => {
  it('names what carries its words', () => {
    expect(carriers.length).toBeGreaterThan(80);
  });

  it.each([...new Set(carriers)])('%s is in the code', (name) => {
    const pattern = /^[a-z]+(?:_[a-z]+)*$/.test(name)
      ? `CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?${name}\\b`
      : `^export (?:declare )?(?:abstract )?(?:const|function|interface|type|class|enum) ${name}\\b`;
    expect(sources).toMatch(new RegExp(pattern, 'm'));
  });
});

describe('the table "Where is what"', () => {
  const table =
    /## Where is what\n([\s\S]*?)\n## /.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))?.[1] ?? '';
  const paths = [...table.matchAll(/`((?:packages|docs)\/[^`]+)`/g)].map(([, path]) => path!);

  it('has an answer in each row', () => {
    expect(paths.length).toBeGreaterThan(15);
  });

  // `<door>` and `<view>` stand for any folder.
  it.each(paths)('%s exists', (path) => {
    const [base, rest] = path.split(/<\w+>\//) as [string, string?];
    const candidates =
      rest === undefined ? [base] : readdirSync(join(root, base)).map((name) => base + join(name, rest));
    expect(candidates.some((candidate) => existsSync(join(root, candidate)))).toBe(true);
  });
});
