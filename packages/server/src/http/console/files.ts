import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

/** A file as it is served: its bytes, and the same compressed where the build has made that. */
export interface ConsoleFile {
  type: string;
  plain: Representation;
  gzip: Representation | undefined;
}

export interface Representation {
  body: Uint8Array<ArrayBuffer>;
  tag: string;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

export const SHELL = '/index.html';

/** The files of the built console, by the addresses that they are served at. What is not among them is not served. */
export class ConsoleFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, ConsoleFile> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** They are read when somebody first asks, and held. A console that is not built yet is looked for again. */
  find(address: string): ConsoleFile | undefined {
    this.#files ??= readFolder(this.#folder);
    return this.#files?.get(address);
  }
}

function readFolder(folder: string): ReadonlyMap<string, ConsoleFile> | undefined {
  let paths: string[];
  try {
    paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      // A link may lead anywhere.
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return undefined;
  }
  const bodies = new Map(paths.map((path) => [addressOf(folder, path), readFileSync(path)]));
  if (!bodies.has(SHELL)) return undefined;
  const served = [...bodies].filter(([address]) => !address.endsWith('.gz'));
  return new Map(
    served.map(([address, body]) => {
      const compressed = bodies.get(`${address}.gz`);
      const file: ConsoleFile = {
        type: TYPES[extname(address)] ?? 'application/octet-stream',
        plain: representation(body),
        gzip: compressed && representation(compressed),
      };
      return [address, file];
    }),
  );
}

function addressOf(folder: string, path: string): string {
  return `/${relative(folder, path).split(sep).join('/')}`;
}

function representation(body: Buffer): Representation {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 32);
  return { body: new Uint8Array(body), tag: `"${digest}"` };
}
