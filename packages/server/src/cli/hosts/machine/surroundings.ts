import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Surroundings } from '../existing-setup.ts';

const PATIENCE = 10_000;

/** What a program of this name would be started in, from here. */
export function surroundingsOf(program: string, folder = process.cwd()): Surroundings {
  return {
    environment: process.env,
    folder,
    home: homedir(),
    ask: (...args) =>
      new Promise((resolve) => {
        const asked = execFile(program, args, { timeout: PATIENCE }, (error, stdout, stderr) =>
          resolve(error ? undefined : stdout || stderr),
        );
        asked.stdin?.end();
      }),
    read: textOf,
  };
}

/** Undefined where it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
