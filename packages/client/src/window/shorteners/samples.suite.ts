import { readFileSync } from 'node:fs';
import { toolUseOf } from '../known-tools.ts';
import { type Shortened, shorten } from './index.ts';
import { linesOf } from './text.ts';

/** What a real program printed. */
export function sample(name: string): string {
  return readFileSync(new URL(`samples/${name}.txt`, import.meta.url), 'utf8');
}

/** The result of a command, as the window door would send it. */
export function afterCommand(command: string, text: string): Shortened | undefined {
  return shorten(toolUseOf('Bash', { command }), 'Bash', text);
}

/** Lines that answer to the form and are not in the short text; gaps may count them. */
export function missing(text: string, short: string, form: RegExp): string[] {
  const kept = new Set(short.split('\n'));
  return linesOf(text).filter((line) => form.test(line) && !kept.has(line));
}

/** The sum of what gaps say of lines of one kind: `4 with errors`, `12 lines with errors`. */
export function counted(short: string, label: string): number {
  let sum = 0;
  for (const [line] of short.matchAll(/… [^…\n]+ left out …/g)) {
    for (const [, number] of line.matchAll(new RegExp(`([\\d,]+)(?: lines?)? ${label}`, 'g'))) {
      sum += Number(number!.replaceAll(',', ''));
    }
  }
  return sum;
}

export const many = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));
