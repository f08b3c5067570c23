import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { findEntry } from './entries.ts';
import type { Path } from './formats/editor.ts';
import { editorOf } from './formats/editor-of.ts';
import { formattedJson, jsoncText, tomlText, yamlText } from './formats/generated.suite.ts';
import { installed, uninstalled } from './formats/undo.suite.ts';
import type { Format, SettingsEntry } from './installable.ts';

const SERVER = { command: 'node', args: ['/path/to/infold.mjs', 'stdio'], env: { INFOLD_DATA: '/data' } };
const isServer = (value: unknown) => JSON.stringify(value)?.includes('infold') ?? false;

const key = (path: string[], value: SettingsEntry['value']): SettingsEntry => ({
  at: 'key',
  path,
  value,
  isOurs: isServer,
});
const element = (path: string[], value: SettingsEntry['value']): SettingsEntry => ({
  at: 'element',
  path,
  value,
  isOurs: isServer,
});

/** One of each kind: below what is often there, below what never is, at the top, in a list. */
const ENTRIES: Record<Format, SettingsEntry[]> = {
  jsonc: [
    key(['mcpServers', 'infold'], SERVER),
    key(['infoldSwitch'], true),
    key(['alpha', 'beta', 'infold'], 'infold'),
    element(['hooks', 'Start'], { matcher: '*', hooks: [{ type: 'command', command: 'infold hook' }] }),
    element(['gamma'], 'infold'),
  ],
  toml: [
    key(['infold_address'], 'http://127.0.0.1/infold'),
    key(['mcp_servers', 'infold'], SERVER),
    key(['features', 'infold'], 'infold'),
    key(['alpha', 'infold'], SERVER),
    element(['list'], { name: 'infold', inner: { x: 1 }, hooks: [{ a: 1 }, { b: 'two' }] }),
    element(['beta'], 'infold'),
  ],
  yaml: [
    key(['extensions', 'infold'], SERVER),
    key(['infold_on'], 'infold'),
    key(['alpha', 'infold'], { cmd: 'infold', envs: {}, args: [] }),
    element(['list'], { name: 'infold', args: ['a', 'b'] }),
    element(['beta'], 'infold'),
  ],
};

const TEXTS: Record<Format, fc.Arbitrary<string>> = {
  jsonc: fc.oneof(jsoncText, formattedJson),
  toml: tomlText,
  yaml: yamlText,
};

describe.each(['jsonc', 'toml', 'yaml'] as const)('entries in %s', (format) => {
  verifies('HOST-01');
  const cases = fc.tuple(TEXTS[format], fc.shuffledSubarray(ENTRIES[format], { minLength: 1 }));

  it('go in and out again, and leave every byte as it was', async () => {
    const editor = await editorOf(format);
    let put = 0;
    fc.assert(
      fc.property(cases, ([text, entries]) => {
        const { text: changed, done } = installed(editor, text, entries);
        put += done.length / entries.length;
        for (const entry of done) {
          expect(findEntry(editor.read(changed), entry)?.value).toEqual(entry.value);
        }
        expect(uninstalled(editor, changed, done, text)).toBe(text);
      }),
      { numRuns: 20 + runs(60), examples: fc.sample(cases, { numRuns: 20, seed: 1 }).map((one) => [one]) },
    );
    // Files in which something else is in the way are the exception: also among the first twenty, which are always the same.
    expect(put).toBeGreaterThan(10);
  });

  it('leave what others changed meanwhile as they changed it', async () => {
    const editor = await editorOf(format);
    fc.assert(
      fc.property(
        TEXTS[format],
        fc.shuffledSubarray(ENTRIES[format], { minLength: 1 }),
        fc.nat(),
        (text, entries, choice) => {
          const leaves = leavesOf(editor.read(text));
          const leaf = leaves[choice % Math.max(1, leaves.length)];
          const change = (one: string) => {
            const marked = leaf ? editor.replace(one, leaf, 'changed') : one;
            return format === 'jsonc' ? `// first\n${marked}\n// last` : `# first\n${marked}`;
          };
          const { text: changed, done } = installed(editor, text, entries);
          expect(uninstalled(editor, change(changed), done, text)).toBe(change(text));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('leave out what somebody took away beside them', async () => {
    const editor = await editorOf(format);
    fc.assert(
      fc.property(
        TEXTS[format],
        fc.subarray(ENTRIES[format], { minLength: 1 }),
        fc.nat(),
        (text, entries, choice) => {
          const leaves = leavesOf(editor.read(text)).filter((path) => typeof path.at(-1) === 'string');
          const leaf = leaves[choice % Math.max(1, leaves.length)];
          if (!leaf) return;
          const { text: changed, done } = installed(editor, text, entries);
          const result = uninstalled(editor, editor.remove(changed, leaf), done, text);
          // White space before a comma that stands alone belongs to neither of two neighbours.
          const seen = (one: string) => (format === 'jsonc' ? one.replaceAll(/\s/g, '') : one);
          expect(seen(result)).toBe(seen(editor.remove(text, leaf)));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('leave a key that was added behind them', async () => {
    const editor = await editorOf(format);
    fc.assert(
      fc.property(cases, ([text, entries]) => {
        const { text: changed, done } = installed(editor, text, entries);
        const add = (one: string) => editor.insert(one, ['added'], 'later');
        const result = uninstalled(editor, add(changed), done, text);
        expect(result).toBe(add(text));
      }),
      { numRuns: runs(60) },
    );
  });
});

/** Paths to what is neither an object nor a list. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string' || typeof value === 'boolean') return [path];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one, index) => leavesOf(one, [...path, index]));
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
}
