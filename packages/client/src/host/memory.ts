import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WindowLine, WindowMemory } from './window.ts';

const DAY = 24 * 60 * 60 * 1000;
/** As long as the archive keeps originals by default: what cannot be brought back need not be repeated either. */
const KEPT = 30 * DAY;

/** What Infold said that stands in a host's system prompt: it has to be said again to the byte when the host starts again. */
export interface Said {
  /** Empty where there was nothing to say. */
  text: string;
  /** The summary of the compaction that it was said after. */
  after?: string;
}

/**
 * A file for each session, a line for each request, in the data folder and for its owner alone: it holds pieces of results.
 * Where there is no data folder there is no Infold, and nothing is written.
 */
export class FileMemory implements WindowMemory {
  readonly #data: string;
  readonly #folder: string;

  constructor(data: string, host: string) {
    this.#data = data;
    this.#folder = join(data, 'plugins', host);
  }

  read(session: string): readonly WindowLine[] {
    this.#prune();
    return this.#lines(session).filter(isWindowLine);
  }

  /** What cannot be written is known until the host ends, and decided anew after that. */
  append(session: string, line: WindowLine): void {
    this.#write(session, line);
  }

  said(session: string): Said[] {
    return this.#lines(session).filter(isSaid);
  }

  addSaid(session: string, said: Said): void {
    this.#write(session, said);
  }

  #lines(session: string): object[] {
    try {
      return readFileSync(this.#file(session), 'utf8').split('\n').flatMap(objectIn);
    } catch {
      return [];
    }
  }

  #write(session: string, line: WindowLine | Said): void {
    if (!existsSync(this.#data)) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      appendFileSync(this.#file(session), `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {}
  }

  #file(session: string): string {
    const isName = /^[\w-]{1,100}$/.test(session);
    const name = isName ? session : createHash('sha256').update(session).digest('hex');
    return join(this.#folder, `${name}.jsonl`);
  }

  #prune(): void {
    try {
      for (const name of readdirSync(this.#folder)) {
        const path = join(this.#folder, name);
        if (Date.now() - statSync(path).mtimeMs > KEPT) rmSync(path, { force: true });
      }
    } catch {}
  }
}

/** A line that was cut off by the end of a process is none. */
function objectIn(line: string): object[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch {
    return [];
  }
}

function isWindowLine(line: object): line is WindowLine {
  const { decisions, digest } = line as Partial<WindowLine>;
  return Array.isArray(decisions) && typeof digest === 'string';
}

function isSaid(line: object): line is Said {
  return typeof (line as Partial<Said>).text === 'string';
}
