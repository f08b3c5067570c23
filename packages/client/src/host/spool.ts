import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of everything that waits to be taken in, as the hook program bounds it. */
const FILES = 2000;
const BYTES = 16 * 1024 * 1024;

/** Keeps an event for whoever listens next: a file of its own, which is there whole or not at all. */
export function spool(data: string, message: string, now: number = Date.now()): void {
  if (!existsSync(data)) return;
  const folder = join(data, 'spool');
  const bytes = Buffer.byteLength(message);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  const held = names.reduce((sum, name) => sum + (Number(name.split('-')[1]) || 0), bytes);
  if (names.length >= FILES || held > BYTES) {
    writeFileSync(join(folder, 'dropped'), '.', { flag: 'a', mode: 0o600 });
    return;
  }
  const name = join(folder, `${now}-${bytes}-${process.pid}${Math.random().toString(36).slice(2, 8)}`);
  writeFileSync(`${name}.part`, message, { flag: 'wx', mode: 0o600 });
  renameSync(`${name}.part`, `${name}.json`);
}
