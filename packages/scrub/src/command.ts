import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import {
  createScrubber,
  JsonlError,
  type ScrubOptions,
  type StreamingScrubber,
  scrubJsonl,
} from './index.ts';

/** What `infold-scrub` and `infold scrub` both take. */
export interface ScrubFlags {
  check?: boolean;
  jsonl?: boolean;
  field: string;
  json?: boolean;
}

const EXIT = { done: 0, failed: 1, usage: 2, found: 4 } as const;

const HELP = `Usage: infold-scrub [options] [file]

Remove secrets from a file or standard input

Options:
  --check          only report secrets (exit code 4 if there are any)
  --jsonl          read one JSON record per line, write {text, count, kinds} per line
  --field <name>   the field that holds the text, with --jsonl (default: "text")
  --config <file>  JSON with rules and exceptions: {"scrub": {"rules": […], "allow": […]}}
  --json           answer in JSON
  -h, --help       display this help

Exit codes: 0 done, 1 failed, 2 wrong usage or an invalid line, 4 secrets found by --check
`;

/** The program `infold-scrub`. Returns its exit code. */
export async function main(words: string[]): Promise<number> {
  let json = false;
  try {
    const { values, positionals } = readArguments(words);
    json = values.json ?? false;
    if (values.help) {
      process.stdout.write(HELP);
      return EXIT.done;
    }
    const scrubber = createScrubber(values.config === undefined ? {} : readOptions(values.config));
    return await scrubFile(scrubber, positionals[0], process.stdout, {
      ...values,
      field: values.field ?? 'text',
    });
  } catch (error) {
    const message = (error as Error).message;
    process.stderr.write(json ? `${JSON.stringify({ error: message })}\n` : `infold-scrub: ${message}\n`);
    return error instanceof UsageError || error instanceof JsonlError ? EXIT.usage : EXIT.failed;
  }
}

class UsageError extends Error {}

function readArguments(words: string[]) {
  try {
    const parsed = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        check: { type: 'boolean' },
        jsonl: { type: 'boolean' },
        field: { type: 'string' },
        config: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (parsed.positionals.length > 1) throw new Error('Name one file, or none to read standard input');
    return parsed;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. See infold-scrub --help`);
  }
}

/** Takes Infold's own configuration file too, and of it the part for secrets. */
function readOptions(path: string): ScrubOptions {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as { scrub?: ScrubOptions };
    return content.scrub ?? {};
  } catch (error) {
    throw new UsageError(`The configuration ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Filters a file, or standard input if none is named. Returns the exit code. */
export async function scrubFile(
  scrubber: StreamingScrubber,
  file: string | undefined,
  output: Writable,
  flags: ScrubFlags,
): Promise<number> {
  const input = file === undefined || file === '-' ? process.stdin : createReadStream(file);
  try {
    return await (flags.jsonl ? scrubLines : scrubText)(scrubber, input, output, flags);
  } catch (error) {
    // Whoever read the answer has had enough of it.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.done;
    if (error instanceof JsonlError) throw error;
    throw new Error(`${file ?? 'standard input'} cannot be read: ${(error as Error).message}`);
  }
}

async function scrubText(
  scrubber: StreamingScrubber,
  input: Readable,
  output: Writable,
  flags: ScrubFlags,
): Promise<number> {
  const stream = scrubber.createStream();
  if (!flags.check && !flags.json) {
    await pipeline(input, stream, output, { end: false });
    return EXIT.done;
  }
  const parts: string[] = [];
  await pipeline(input, stream.setEncoding('utf8'), async (pieces: AsyncIterable<string>) => {
    for await (const piece of pieces) if (!flags.check) parts.push(piece);
  });
  const { count, kinds } = stream;
  if (!flags.check) {
    output.write(`${JSON.stringify({ text: parts.join(''), count, kinds })}\n`);
    return EXIT.done;
  }
  const found = count === 0 ? 'No secrets found.' : `${count} found: ${kinds.join(', ')}`;
  output.write(flags.json ? `${JSON.stringify({ count, kinds })}\n` : `${found}\n`);
  return count > 0 ? EXIT.found : EXIT.done;
}

async function scrubLines(
  scrubber: StreamingScrubber,
  input: Readable,
  output: Writable,
  flags: ScrubFlags,
): Promise<number> {
  let found = 0;
  for await (const { value, count, kinds } of scrubJsonl(input, scrubber, { field: flags.field })) {
    found += count;
    if (flags.check) continue;
    if (!output.write(`${JSON.stringify({ text: value, count, kinds })}\n`)) await once(output, 'drain');
  }
  if (!flags.check) return EXIT.done;
  output.write(`${flags.json ? JSON.stringify({ count: found }) : `${found} found`}\n`);
  return found > 0 ? EXIT.found : EXIT.done;
}
