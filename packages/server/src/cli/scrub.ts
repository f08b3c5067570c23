import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createScrubber, type Scrubber, type ScrubOptions } from '@infold/scrub';
import type { Config } from '../kernel/config.ts';
import { InfoldError, messageOf } from '../kernel/errors.ts';
import { EXIT } from './output.ts';

export interface ScrubFlags {
  check?: boolean;
  jsonl?: boolean;
  field: string;
  json?: boolean;
}

/** Filters a file or a stream. With `--check` nothing is written but what was found, and the exit code tells. */
export async function scrub(config: Config, file: string | undefined, flags: ScrubFlags): Promise<number> {
  const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
  const input = file === undefined || file === '-' ? process.stdin : createReadStream(file);
  try {
    return flags.jsonl ? await scrubLines(scrubber, input, flags) : await scrubWhole(scrubber, input, flags);
  } catch (error) {
    if (InfoldError.isInstance(error)) throw error;
    throw new InfoldError('not_found', `${file ?? 'standard input'} cannot be read: ${messageOf(error)}`);
  }
}

/** Keys and tokens may span lines, so a text is looked at whole. */
async function scrubWhole(scrubber: Scrubber, input: Readable, flags: ScrubFlags): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Buffer));
  const { text, count, kinds } = scrubber.scrub(Buffer.concat(chunks).toString('utf8'));
  if (flags.check) {
    const found = count === 0 ? 'No secrets found.' : `${count} found: ${kinds.join(', ')}`;
    process.stdout.write(flags.json ? `${JSON.stringify({ count, kinds })}\n` : `${found}\n`);
    return count > 0 ? EXIT.found : EXIT.done;
  }
  process.stdout.write(flags.json ? `${JSON.stringify({ text, count, kinds })}\n` : text);
  return EXIT.done;
}

/** One record a line in, one `{text, count, kinds}` a line out. */
async function scrubLines(scrubber: Scrubber, input: Readable, flags: ScrubFlags): Promise<number> {
  let number = 0;
  let found = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === '') continue;
    const text = fieldOf(line, flags.field, number);
    const result = scrubber.scrub(text);
    found += result.count;
    if (!flags.check && !process.stdout.write(`${JSON.stringify(result)}\n`)) await drained();
  }
  if (flags.check)
    process.stdout.write(`${flags.json ? JSON.stringify({ count: found }) : `${found} found`}\n`);
  return flags.check && found > 0 ? EXIT.found : EXIT.done;
}

function drained(): Promise<void> {
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

function fieldOf(line: string, field: string, number: number): string {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    throw new InfoldError('invalid_arguments', `Line ${number} is not JSON`);
  }
  const value = (record as Record<string, unknown> | null)?.[field];
  if (typeof value !== 'string') {
    throw new InfoldError(
      'invalid_arguments',
      `Line ${number} has no text in "${field}"; name it with --field`,
    );
  }
  return value;
}
