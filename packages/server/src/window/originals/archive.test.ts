import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createScrubber } from '@infold/scrub';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foldTools } from '../../fold/tools.ts';
import { randomId } from '../../kernel/ids.ts';
import { callTool } from '../../mcp/tools/call.ts';
import {
  callerNamed,
  callOf,
  movableClock,
  temporaryFolder,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../../trust/identity/caller.ts';
import { WindowArchive } from './archive.ts';

const DAY = 24 * 60 * 60 * 1000;
const scrubber = createScrubber();

async function opened({ folder = temporaryFolder(), clock = movableClock(), days = 30 } = {}) {
  const archive = new WindowArchive(folder, clock.read, scrubber, { days });
  await archive.open();
  onTestFinished(() => archive.close());
  return { archive, folder, clock };
}

const original = (text: string, conversation = 'conv_1') => ({
  ...{ handle: randomId('win'), text, conversation, session: null },
});

describe('the archive', () => {
  test('gives back what was kept, whatever it is, to its principal alone', async () => {
    const { archive } = await opened();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 3000 })), async (texts) => {
        const originals = texts.map((text) => original(text));
        archive.keep(localOwner, originals);
        for (const { handle, text } of originals) {
          expect(await archive.read(localOwner, handle)).toBe(scrubber.scrub(text).text);
          expect(await archive.read(callerNamed('alice'), handle)).toBeUndefined();
          expect(
            await archive.read(callerNamed(localOwner.principal, { org: 'acme' }), handle),
          ).toBeUndefined();
        }
      }),
      { numRuns: 30 },
    );
    expect(await archive.read(localOwner, randomId('win'))).toBeUndefined();
    expect(await archive.read(localOwner, "win_' OR 1")).toBeUndefined();
  });

  test('holds no secret, and is its owner’s alone', async () => {
    const { archive, folder } = await opened();
    const secret = ['AKIA', 'IOSFODNN7', 'QWERTYU'].join('');
    const one = original(`key: ${secret}\n`.repeat(100));
    archive.keep(localOwner, [one]);
    expect(await archive.read(localOwner, one.handle)).toContain('[REDACTED:');
    await archive.close();
    const files = readdirSync(folder).map((name) => join(folder, name));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(readFileSync(file).includes(secret)).toBe(false);
      if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);
    }
  });

  test('compresses what is long, and says what it takes', async () => {
    const { archive } = await opened();
    expect(await archive.size()).toMatchObject({ originals: 0, bytes: 0 });
    archive.keep(localOwner, [original('the same line\n'.repeat(100_000)), original('short')]);
    const { originals, bytes, on_disk } = await archive.size();
    expect([originals, bytes]).toEqual([2, 1_400_005]);
    expect(on_disk).toBeLessThan(200_000);
  });

  test('keeps everything or nothing, and throws where it cannot', async () => {
    const { archive, folder, clock } = await opened();
    const kept = original('one');
    archive.keep(localOwner, [kept]);
    expect(() => archive.keep(localOwner, [original('two'), kept])).toThrow();
    expect((await archive.size()).originals).toBe(1);
    const unopened = new WindowArchive(folder, clock.read, scrubber, { days: 1 });
    expect(() => unopened.keep(localOwner, [original('x')])).toThrow('not open');
  });

  test('forgets after its days', async () => {
    const { archive, clock } = await opened({ days: 2 });
    const early = original('early');
    archive.keep(localOwner, [early]);
    clock.advance(DAY);
    const late = original('late');
    archive.keep(localOwner, [late]);
    clock.advance(DAY);
    expect(await archive.read(localOwner, early.handle)).toBeUndefined();
    expect(await archive.read(localOwner, late.handle)).toBe('late');
    expect(await archive.prune()).toBe(1);
    expect((await archive.size()).originals).toBe(1);
  });

  test('forgets the conversations that are named', async () => {
    const { archive, folder } = await opened();
    const [gone, stays] = [original('marigold', 'conv_1'), original('bluebell', 'conv_2')];
    archive.keep(localOwner, [gone, stays]);
    expect(await archive.forget(['conv_1'])).toBe(1);
    expect(await archive.read(localOwner, gone.handle)).toBeUndefined();
    expect(await archive.read(localOwner, stays.handle)).toBe('bluebell');
    const left = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'));
    expect(left.some((text) => text.includes('marigold'))).toBe(false);
  });

  test('is shared by several processes', async () => {
    const folder = temporaryFolder();
    const [one, two] = [await opened({ folder }), await opened({ folder })];
    const kept = original('of one');
    one.archive.keep(localOwner, [kept]);
    expect(await two.archive.read(localOwner, kept.handle)).toBe('of one');
    two.archive.keep(localOwner, [original('of two')]);
    expect((await one.archive.size()).originals).toBe(2);
  });

  test('is not made by who only asks', async () => {
    const folder = temporaryFolder();
    const archive = new WindowArchive(folder, movableClock().read, scrubber, { days: 1 });
    expect(await archive.read(localOwner, randomId('win'))).toBeUndefined();
    expect(await archive.size()).toEqual({ originals: 0, bytes: 0, on_disk: 0 });
    expect([await archive.prune(), await archive.forget(['conv_1'])]).toEqual([0, 0]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('context_expand', () => {
  interface Page {
    kind: string;
    total_pages: number;
    items: { type: string; text: string }[];
  }

  test('is for whose conversation it is, and for who owns the data folder', async () => {
    const services = await testServices({ tools: foldTools });
    const archive = services.parts.windowArchive;
    await archive.open();
    onTestFinished(() => archive.close());
    const kept = original('Of alice');
    archive.keep(callerNamed('alice'), [kept]);
    const read = async (caller: Caller) => {
      const outcome = await callTool(services, callOf('context_expand', { handle: kept.handle }, { caller }));
      return 'result' in outcome && !outcome.result.isError;
    };
    expect(await read(callerNamed('alice'))).toBe(true);
    expect(await read(localOwner)).toBe(true);
    expect(await read(callerNamed('bob'))).toBe(false);
    expect(await read(callerNamed('alice', { org: 'acme' }))).toBe(false);
  });

  test.each([1, 7, 20, 100])('brings an original back whole, %i pieces a page', async (per_page) => {
    const services = await testServices({ tools: foldTools });
    const archive = services.parts.windowArchive;
    await archive.open();
    onTestFinished(() => archive.close());
    const lines = Array.from({ length: 3000 }, (_, line) => `${line} ${'"\\\t😀 words '.repeat(line % 9)}`);
    const kept = original(lines.join('\n'));
    archive.keep(localOwner, [kept]);
    const read = async (page: number) => {
      const call = callOf('context_expand', { handle: kept.handle, page, per_page });
      const outcome = await callTool(services, call);
      if ('failure' in outcome) throw outcome.failure;
      expect(outcome.result.content[0]!.text.length).toBeLessThan(services.config.limits.pageCharacters);
      expect(outcome.result.isError ?? false).toBe(false);
      return outcome.result.structuredContent as unknown as Page;
    };
    const first = await read(1);
    expect(first.kind).toBe('window');
    const pages = [first];
    while (pages.length < first.total_pages) pages.push(await read(pages.length + 1));
    expect(pages.flatMap(({ items }) => items.map(({ text }) => text)).join('')).toBe(kept.text);
  });
});
