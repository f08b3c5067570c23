import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { describeFile, groupOf, headingsOf, nameOf } from './describe.ts';
import { readFrontMatter } from './front-matter.ts';

describe('a file', () => {
  test.each([
    ['coding/STYLE.md', 'rule', 'STYLE', 'coding'],
    ['workflow/CODING.md', 'workflow', 'CODING', 'workflow'],
    ['workflow/cmd/DEPLOY.md', 'workflow', 'DEPLOY', 'workflow'],
    ['context/spec/API.md', 'context', 'API', 'context'],
    ['AGENTS.md', 'rule', 'AGENTS', undefined],
    ['.cursor/rules/ts.mdc', 'rule', 'ts', '.cursor'],
  ])('at %s is a %s named %s in group %s', (path, kind, name, group) => {
    verifies('LIB-03');
    expect(describeFile(path, '# x\n').kind).toBe(kind);
    expect(nameOf(path)).toBe(name);
    expect(groupOf(path, null)).toBe(group);
  });

  test('says in its front matter what it is instead', () => {
    verifies('LIB-03');
    const text = '---\nkind: workflow\ngroup: release\ndescription: >\n  Cut a\n  release\n---\n# x\n';
    expect(describeFile('a/b.md', text)).toEqual({
      kind: 'workflow',
      group: 'release',
      description: 'Cut a release',
    });
    expect(groupOf('a/b.md', 'release')).toBe('release');
    expect(describeFile('a/b.md', '---\nkind: nonsense\ngroup: 5\ndescription: [a]\n---\n')).toEqual({
      kind: 'rule',
      group: null,
      description: null,
    });
  });

  test('of another tool tells which files it is about', () => {
    verifies('LIB-16');
    expect(describeFile('a.mdc', '---\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\n').description).toBe(
      'Applies to *.ts,*.tsx',
    );
    expect(describeFile('a.md', '---\napplyTo: "**/*.py"\n---\n').description).toBe('Applies to **/*.py');
    expect(describeFile('a.mdc', '---\ndescription: React\nglobs: ["*.tsx"]\n---\n').description).toBe(
      'React',
    );
  });

  test('has headings to be found by, none from code', () => {
    expect(headingsOf('# A\n## B ##\n```\n# no\n```\n### C\n#no\n')).toBe('A\nB\nC');
  });
});

describe('front matter', () => {
  test('keeps what other doors walk through', () => {
    const { values, body } = readFrontMatter(
      '---\nsteps:\n  - title: One\n    tool: x\n  - title: Two\n---\n# W\n',
    );
    expect(values).toEqual({ steps: [{ title: 'One', tool: 'x' }, { title: 'Two' }] });
    expect(body).toBe('# W\n');
  });

  test('reads plain lines as the full parser does', () => {
    expect(readFrontMatter('---\na: true\nb: 5\nc: word, and more\nd: no\n---\n').values).toEqual({
      a: true,
      b: 5,
      c: 'word, and more',
      d: 'no',
    });
  });

  test.each([
    ['that never ends', '---\na: b\n# x\n'],
    ['that is a list', '---\n- a\n---\nx'],
    ['that is broken', '---\na: [b\n---\nx'],
    [
      'with too many aliases',
      `---\na: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*${i === 0 ? 'a' : `b${i - 1}`}, *${i === 0 ? 'a' : `b${i - 1}`}]`).join('\n')}\n---\n`,
    ],
    ['that names a prototype', '---\n__proto__: x\nconstructor: y\n---\n'],
  ])('%s is no error', (_what, text) => {
    expect(() => readFrontMatter(text)).not.toThrow();
    expect(() => describeFile('a.md', text)).not.toThrow();
  });

  test('never throws, and what follows it is the end of the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.string({ maxLength: 80 }),
        (block, rest) => {
          const text = `---\n${block}\n---\n${rest}`;
          expect(text.endsWith(readFrontMatter(text).body)).toBe(true);
        },
      ),
    );
  });
});
