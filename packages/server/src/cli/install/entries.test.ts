import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { Editor } from './editor.ts';
import { editorOf } from './editor.ts';
import { findEntry, withEntry, withoutEntry } from './entries.ts';
import type { Entry, Format } from './entry.ts';
import { formattedJson, jsoncText, tomlText, yamlText } from './generated.suite.ts';
import { Problem } from './problem.ts';

const SERVER = { command: 'node', args: ['/path/to/infold.mjs', 'stdio'], env: { INFOLD_DATA: '/data' } };
const isServer = (value: unknown) => JSON.stringify(value)?.includes('infold') ?? false;

const key = (path: string[], value: Entry['value']): Entry => ({ at: 'key', path, value, isOurs: isServer });
const element = (path: string[], value: Entry['value']): Entry => ({
  at: 'element',
  path,
  value,
  isOurs: isServer,
});

/** One of each kind: below what is often there, below what never is, at the top, in a list. */
const ENTRIES: Record<Format, Entry[]> = {
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

/** Puts those in that can be, as a file that is in the way of one is no reason against another. */
function installed(editor: Editor, text: string, entries: readonly Entry[]) {
  const done: Entry[] = [];
  let result = text;
  for (const entry of entries) {
    try {
      const found = findEntry(editor.read(result), entry);
      if (found) continue;
      result = withEntry(editor, result, entry, undefined);
      done.push(entry);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return { text: result, done };
}

function uninstalled(editor: Editor, text: string, entries: readonly Entry[], original: string) {
  return entries.reduce((result, entry) => {
    const found = findEntry(editor.read(result), entry)!;
    return withoutEntry(editor, result, found.path, original);
  }, text);
}

describe.each(['jsonc', 'toml', 'yaml'] as const)('entries in %s', (format) => {
  verifies('HOST-01');

  it('go in and out again, and leave every byte as it was', async () => {
    const editor = await editorOf(format);
    let put = 0;
    fc.assert(
      fc.property(TEXTS[format], fc.shuffledSubarray(ENTRIES[format], { minLength: 1 }), (text, entries) => {
        const { text: changed, done } = installed(editor, text, entries);
        put += done.length / entries.length;
        for (const entry of done) {
          expect(findEntry(editor.read(changed), entry)?.value).toEqual(entry.value);
        }
        expect(uninstalled(editor, changed, [...done].reverse(), text)).toBe(text);
      }),
      { numRuns: 100 },
    );
    // Files in which something else is in the way are the exception.
    expect(put).toBeGreaterThan(50);
  });
});
