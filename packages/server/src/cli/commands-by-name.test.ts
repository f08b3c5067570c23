import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandLine } from './main.ts';

const FILES = readdirSync(fileURLToPath(new URL('.', import.meta.url)), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));

/** The steps of a review differ in one word, and share a file; what is selected is shown as it is answered. */
const TOGETHER: Record<string, string> = {
  'library submit': 'library/review.ts',
  'library approve': 'library/review.ts',
  'library decline': 'library/review.ts',
  'library discard': 'library/review.ts',
  'library comment': 'library/review.ts',
  'library selection': 'library/select.ts',
};
/** A package of its own. */
const ELSEWHERE = ['demo'];

/** The words of every command that does something: `library import`, `token create`, `window`. */
function wordsOf(command: Command): string[][] {
  return command.commands.flatMap((one) => {
    const below = wordsOf(one).map((words) => [one.name(), ...words]);
    return below.length === 0 ? [[one.name()]] : below;
  });
}

const COMMANDS = wordsOf(commandLine().program).filter(([first]) => !ELSEWHERE.includes(first!));
const OWN_FILES = new Set(
  COMMANDS.filter(({ length }) => length > 1).map((words) => `${words.join('/')}.ts`),
);

/** `infold X` is in a file X.ts; `infold X Y` is in X/Y.ts, or in X.ts where X has few commands. */
function filesOf([first, second]: readonly string[]): string[] {
  if (second !== undefined && FILES.includes(`${first}/${second}.ts`)) return [`${first}/${second}.ts`];
  return FILES.filter((path) => path.endsWith(`/${first}.ts`) && !OWN_FILES.has(path));
}

test('there are commands to find', () => {
  expect(COMMANDS.length).toBeGreaterThan(50);
});

test.each(COMMANDS.map((words) => words.join(' ')))('infold %s is found by its name', (command) => {
  const together = TOGETHER[command];
  if (together !== undefined) expect(FILES).toContain(together);
  else expect(filesOf(command.split(' '))).toHaveLength(1);
});
