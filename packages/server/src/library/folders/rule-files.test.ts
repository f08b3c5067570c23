import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { isSafePath } from '../files/paths.ts';
import { plainPath } from './rule-files.ts';

describe('a well-known rule file', () => {
  test.each([
    ['.cursorrules', 'cursorrules.md'],
    ['.cursor/rules/ts.mdc', 'cursor/rules/ts.mdc'],
    ['.cursor/rules/deep/er/ts.md', 'cursor/rules/deep/er/ts.md'],
    ['packages/web/.cursor/rules/ts.mdc', 'packages/web/cursor/rules/ts.mdc'],
    ['.windsurfrules', 'windsurfrules.md'],
    ['.windsurf/rules/a.md', 'windsurf/rules/a.md'],
    ['.clinerules', 'clinerules.md'],
    ['.clinerules/a.md', 'clinerules/a.md'],
    ['.github/copilot-instructions.md', 'github/copilot-instructions.md'],
    ['.github/instructions/py.instructions.md', 'github/instructions/py.instructions.md'],
    ['.roo/rules/a.md', 'roo/rules/a.md'],
    ['.continue/rules/a.md', 'continue/rules/a.md'],
    ['.kiro/steering/product.md', 'kiro/steering/product.md'],
    ['.claude/CLAUDE.md', 'claude/CLAUDE.md'],
  ])('%s is kept at %s', (path, plain) => {
    verifies('LIB-16');
    expect(plainPath(path)).toBe(plain);
  });

  test.each([
    'plain.md',
    '.git/config',
    '.git/x.md',
    '.env',
    '.github/workflows/x.md',
    '.cursor/x.md',
    '.cursor/rules/.hidden/x.md',
    '.cursor/rules/../../x.md',
    '.cursor/rules/x.sh',
    '.hidden/.cursor/rules/x.md',
    '../.cursorrules',
  ])('is none of %s', (path) => {
    verifies('LIB-15');
    expect(plainPath(path)).toBeUndefined();
  });

  test('is kept at a safe path, and no two of a folder at one but for their dots', () => {
    verifies('LIB-15', 'LIB-16');
    const segment = fc.constantFrom(
      '.cursor',
      'rules',
      '.clinerules',
      '.',
      '..',
      'a.md',
      '.b.md',
      '.rules',
      '',
    );
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(path, (dotted) => {
        const plain = plainPath(dotted);
        fc.pre(plain !== undefined);
        expect(isSafePath(plain!)).toBe(true);
        expect(dotted.replaceAll('.', '').replace(/md$/, '')).toBe(
          plain!.replaceAll('.', '').replace(/md$/, ''),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
