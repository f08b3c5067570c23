import type { Dialect } from '@infold/client/window';
import type { WindowUsage } from '@infold/protocol/events';

type Json = Record<string, unknown>;

/** Stands where every dialect's figures are. Without its quote: quotes are everywhere, and the search stops at each. */
const MARK = Buffer.from('usage');
const NEWLINE = 10;
/** A line, or an answer that is one piece, which is longer is not kept: then nobody knows its usage. */
const MOST_KEPT = 16 * 1024 * 1024;
/**
 * Figures stand at the beginning of a stream and at its end, in every dialect. What lies between is not even searched: that
 * would take a tenth of the time that passing it on takes.
 */
const HEAD = 64 * 1024;
const TAIL = 128 * 1024;

/** What all answers that are being read may keep together. */
export class KeptBytes {
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#most) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * Reads what an answer says of its tokens while it passes by. Answers come in pieces that are cut anywhere; of a stream the
 * line that is not complete and the last ones before it are kept, and only lines that may hold figures are parsed.
 */
export class UsageReader {
  readonly #dialect: Dialect;
  readonly #isStream: boolean;
  readonly #budget: KeptBytes;
  #kept: Buffer[] = [];
  #bytes = 0;
  #isLost = false;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** How much of the beginning was read. */
  #begun = 0;
  #usage: WindowUsage | null = null;

  constructor(dialect: Dialect, contentType: string | undefined, budget: KeptBytes) {
    this.#dialect = dialect;
    this.#isStream = /^\s*text\/event-stream/i.test(contentType ?? '');
    this.#budget = budget;
  }

  write(chunk: Buffer): void {
    const first = this.#isStream ? chunk.indexOf(NEWLINE) + 1 : 0;
    if (first === 0) {
      this.#keep(chunk);
      return;
    }
    // The line that was begun before ends here; those after it are whole, but for the last.
    this.#keep(chunk.subarray(0, first));
    this.#addLines(this.#take());
    this.#isLost = false;
    const last = chunk.lastIndexOf(NEWLINE) + 1;
    if (last > first) this.#addLines(chunk.subarray(first, last));
    if (last < chunk.length) this.#keep(chunk.subarray(last));
  }

  /** What is known when nothing more comes. */
  end(): WindowUsage | null {
    const rest = this.#take();
    this.#readTail();
    if (this.#isStream) this.#readLines(rest);
    else if (rest.includes(MARK)) this.#read(rest.toString());
    return this.#usage;
  }

  #keep(piece: Buffer): void {
    if (this.#isLost) return;
    if (this.#bytes + piece.length > MOST_KEPT || !this.#budget.take(piece.length)) {
      this.#take();
      this.#isLost = true;
      return;
    }
    this.#kept.push(piece);
    this.#bytes += piece.length;
  }

  #take(): Buffer {
    const bytes = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept);
    this.#budget.release(this.#bytes);
    this.#kept = [];
    this.#bytes = 0;
    return bytes;
  }

  /** Whole lines: those of the beginning are read, of the others the last are kept. */
  #addLines(lines: Buffer): void {
    if (this.#begun < HEAD || !this.#budget.take(lines.length)) {
      this.#begun += lines.length;
      this.#readTail();
      this.#readLines(lines);
      return;
    }
    this.#tail.push(lines);
    this.#tailBytes += lines.length;
    while (this.#tailBytes - this.#tail[0]!.length >= TAIL) this.#release(this.#tail.shift()!);
  }

  #readTail(): void {
    for (const lines of this.#tail.splice(0)) {
      this.#release(lines);
      this.#readLines(lines);
    }
  }

  #release({ length }: Buffer): void {
    this.#tailBytes -= length;
    this.#budget.release(length);
  }

  #readLines(bytes: Buffer): void {
    for (let at = bytes.indexOf(MARK); at !== -1; ) {
      const start = bytes.lastIndexOf(NEWLINE, at) + 1;
      const next = bytes.indexOf(NEWLINE, at);
      const end = next === -1 ? bytes.length : next;
      const line = bytes.toString('utf8', start, end);
      // Many streams say with every piece that there are no figures yet.
      if (line.startsWith('data:') && /"usage(Metadata)?"\s*:\s*\{/.test(line)) this.#read(line.slice(5));
      at = bytes.indexOf(MARK, end);
    }
  }

  #read(text: string): void {
    try {
      const value: unknown = JSON.parse(text);
      for (const one of Array.isArray(value) ? value : [value]) {
        const found = isJson(one) ? READERS[this.#dialect](one, this.#usage) : undefined;
        if (found && Object.values(found).every((count) => Number.isSafeInteger(count) && count >= 0)) {
          this.#usage = found;
        }
      }
    } catch {
      // Not what it claims to be: then it tells nothing.
    }
  }
}

/** Each gets what is known so far, and answers what is known now. */
const READERS: Record<Dialect, (value: Json, before: WindowUsage | null) => WindowUsage | undefined> = {
  /** The first event tells what was read, the last what was written; both count up. */
  anthropic(value, before) {
    const message = isJson(value.message) ? value.message : value;
    const { usage } = message;
    if (!isJson(usage)) return undefined;
    const creation = isJson(usage.cache_creation) ? usage.cache_creation : {};
    const later = (name: keyof WindowUsage, told: unknown) => Math.max(before?.[name] ?? 0, count(told));
    return {
      input: later('input', usage.input_tokens),
      cache_read: later('cache_read', usage.cache_read_input_tokens),
      cache_write: later('cache_write', usage.cache_creation_input_tokens),
      cache_write_long: later('cache_write_long', creation.ephemeral_1h_input_tokens),
      output: later('output', usage.output_tokens),
    };
  },

  'openai-chat'({ usage }) {
    if (!isJson(usage)) return undefined;
    const details = isJson(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
    return withCached(count(usage.prompt_tokens), cachedIn(details), count(usage.completion_tokens));
  },

  'openai-responses'(value) {
    const { usage } = isJson(value.response) ? value.response : value;
    if (!isJson(usage)) return undefined;
    const details = isJson(usage.input_tokens_details) ? usage.input_tokens_details : {};
    return withCached(count(usage.input_tokens), cachedIn(details), count(usage.output_tokens));
  },

  gemini({ usageMetadata: usage }) {
    if (!isJson(usage)) return undefined;
    return withCached(
      count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
      { read: count(usage.cachedContentTokenCount), written: 0 },
      count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
    );
  },
};

interface Cached {
  read: number;
  written: number;
}

/** Later models of OpenAI bill what they write to the cache, and tell it. */
function cachedIn(details: Json): Cached {
  return { read: count(details.cached_tokens), written: count(details.cache_write_tokens) };
}

/** These count what was read from the cache, and what was written to it, among what was asked. */
function withCached(asked: number, cached: Cached, output: number): WindowUsage {
  const read = Math.min(asked, cached.read);
  const written = Math.min(asked - read, cached.written);
  return {
    input: asked - read - written,
    cache_read: read,
    cache_write: written,
    cache_write_long: 0,
    output,
  };
}

/** What is not said is none. */
function count(told: unknown): number {
  return typeof told === 'number' ? told : 0;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
