import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examples } from './examples/index.suite.ts';
import { alnum } from './examples/sample.suite.ts';
import { createScrubber, JsonlError, scrubJsonl } from './index.ts';
import { createRedactor } from './redact.ts';
import { ScrubStream, type StreamSizes } from './stream.ts';

const scrubber = createScrubber();
const redact = createRedactor({});
const secrets = [...examples.values()].flat().map((sample) => sample.true[0]!);
const longest = Math.max(...secrets.map((secret) => secret.length));
const github = `gh${'p_'}${alnum(36)}`;

async function pass(chunks: Iterable<Buffer | string>, stream: ScrubStream) {
  const parts: string[] = [];
  for await (const part of Readable.from(chunks).pipe(stream.setEncoding('utf8'))) parts.push(part as string);
  return { text: parts.join(''), count: stream.count, kinds: stream.kinds };
}

/** The bytes in pieces of these sizes, over and over; a size may tear a character. */
function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const words = 'The build went on as before, and näher ☃ 😀 nothing else was said about it.';
const prose = fc.integer({ min: 1, max: 40 }).map((count) => [...words].slice(0, count * 2).join(''));
/** Text with secrets in it, as logs and transcripts have them, in long lines and short ones. */
const logs = fc
  .array(
    fc.tuple(
      prose,
      fc.option(fc.constantFrom(...secrets), { freq: 2 }),
      fc.constantFrom('\n', '\n', ' ', ' | '),
      prose,
    ),
    { minLength: 1, maxLength: 120 },
  )
  .map((parts) =>
    parts.map(([before, secret, gap, after]) => before + gap + (secret ?? '') + gap + after).join(''),
  );

describe('a stream', () => {
  it('gives exactly what the whole text gives, wherever its chunks end', async () => {
    const sizes: StreamSizes = { step: 256, reach: 2 * longest };
    await fc.assert(
      fc.asyncProperty(
        logs,
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
        async (text, pieces) => {
          const streamed = await pass(cut(Buffer.from(text), pieces), new ScrubStream(redact, sizes));
          expect(streamed).toEqual(scrubber.scrub(text));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives exactly what the whole text gives around every border of its own', async () => {
    const filler = `${words}\n`.repeat(40_000);
    const edge = (1 << 20) + (1 << 16);
    for (const distance of [-70_000, -65_537, -65_536, -20, 0, 20]) {
      const text = `${filler.slice(0, edge + distance - 10)}\n${github}\n${filler.slice(0, 1 << 20)}`;
      const streamed = await pass(cut(Buffer.from(text), [65_536]), scrubber.createStream());
      expect(streamed.count).toBe(1);
      expect(streamed.text === scrubber.scrub(text).text).toBe(true);
    }
  });

  it('takes text as well as bytes, and a text that is empty', async () => {
    expect(await pass([`a ${github.slice(0, 9)}`, `${github.slice(9)} b`], scrubber.createStream())).toEqual({
      text: 'a [REDACTED:github-token] b',
      count: 1,
      kinds: ['github-token'],
    });
    expect(await pass([], scrubber.createStream())).toEqual({ text: '', count: 0, kinds: [] });
  });

  it('holds a bounded part of an endless text', async () => {
    const piece = Buffer.from(`${words}\n`.repeat(800));
    let written = 0;
    let mostHeld = 0;
    const stream = scrubber.createStream();
    stream.on('data', (part: Buffer) => {
      written -= part.length;
    });
    for (let count = 0; count < 400; count++) {
      written += piece.length;
      mostHeld = Math.max(mostHeld, written);
      if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve));
    }
    stream.end();
    await new Promise((resolve) => stream.once('end', resolve));
    expect(written).toBe(0);
    expect(mostHeld).toBeLessThan(2.5 * 2 ** 20);
  });

  it('fails, and lets nothing out, when a rule cannot finish', async () => {
    const stream = new ScrubStream(() => {
      throw new Error('The expression took too long');
    });
    await expect(pass(['some text'], stream)).rejects.toThrow('took too long');
  });
});

describe('JSONL', () => {
  const read = async (text: string, field?: string) => {
    const results = [];
    const options = field === undefined ? {} : { field };
    for await (const line of scrubJsonl(Readable.from([text]), scrubber, options)) results.push(line);
    return results;
  };

  it('comes out record by record, with the numbers of the lines', async () => {
    expect(await read(`{"note":"see ${github}"}\n\n{"password":"kitty"}\r\n[1]\n`)).toEqual([
      { line: 1, value: { note: 'see [REDACTED:github-token]' }, count: 1, kinds: ['github-token'] },
      { line: 3, value: { password: '[REDACTED:password]' }, count: 1, kinds: ['password'] },
      { line: 4, value: [1], count: 0, kinds: [] },
    ]);
  });

  it('can be looked at in one field alone', async () => {
    expect(await read(`{"text":"${github}","id":1}`, 'text')).toEqual([
      { line: 1, value: '[REDACTED:github-token]', count: 1, kinds: ['github-token'] },
    ]);
  });

  it('stops at a broken line with an error that names it and quotes nothing', async () => {
    const broken = read(`{"a":1}\n{"a": ${github}`);
    await expect(broken).rejects.toThrow(JsonlError);
    await expect(broken).rejects.toThrow(/^Line 2 is not JSON$/);
    await expect(read('{"a":1}', 'text')).rejects.toThrow('Line 1 has no text in "text"');
    await expect(read('null', 'text')).rejects.toThrow('Line 1 has no text in "text"');
  });
});
