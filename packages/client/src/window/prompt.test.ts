import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { HOSTS, histories, requestsOf, type Script } from './histories.suite.ts';
import { blocksOf, cachedOf, textOfBlock } from './prompt.ts';
import { readRequest } from './read.ts';
import { digest, MemoryDoor } from './testing/door.suite.ts';
import { branch, branchId, giveBack } from './testing/our-tools.suite.ts';
import { person, shell, turn } from './testing/script.suite.ts';
import { RULES } from './types.ts';

const FOLDED: Script = {
  name: 'folded',
  steps: [
    person('Look after the importer.'),
    { do: 'find', tools: ['context_branch', 'context_return'] },
    turn('', branch(branchId('one'), 'Read the log', 'Find out what fails.')),
    turn('', shell('cat worker.log', 'INFO read a row of the table\n'.repeat(2000))),
    turn('', giveBack(branchId('one'), 'Nothing fails.')),
    turn('Nothing fails.'),
  ],
  prompt: { system: 'You help.', tool: 'Does something.' },
};

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe.each(HOSTS.map((host) => [host.name, host] as const))('the prompt of %s', (_, host) => {
  test('is told block by block, with the figures of the plan', () => {
    verifies('CON-02');
    let left = 0;
    fc.assert(
      fc.property(histories({ hosts: [host] }), ({ script }) => {
        const door = new MemoryDoor();
        for (const sent of requestsOf(script, host)) {
          const { reading, tokens, held, text, decisions } = door.ask(sent);
          const blocks = blocksOf(reading, text === undefined ? [] : decisions, digest);
          expect(sum(blocks.map((block) => block.tokens.asked))).toBe(tokens.asked);
          expect(sum(blocks.map((block) => block.tokens.sent))).toBe(tokens.sent);
          const weightOf = (kind: string) =>
            sum(blocks.filter((block) => block.kind === kind).map((block) => block.tokens.sent));
          expect([weightOf('system'), weightOf('tools')]).toEqual([held.system, held.tools]);
          expect(weightOf('text') + weightOf('call') + weightOf('other') + weightOf('result')).toBe(
            held.text + sum(held.results.map((result) => result.tokens)),
          );
          const places = blocks.flatMap(({ message }) => (message === undefined ? [] : [message]));
          expect(places).toEqual(places.toSorted((one, other) => one - other));
          for (const block of blocks) {
            const isChanged = block.tokens.sent === 0 || block.instead !== undefined;
            if (block.tokens.asked === 0) continue;
            expect([RULES.includes(block.rule as never), block.handle !== undefined]).toEqual([
              isChanged,
              isChanged,
            ]);
            if (isChanged) left++;
            if (block.instead !== undefined)
              expect(text).toContain(JSON.stringify(block.instead).slice(1, -1));
            if (block.kind === 'result') expect(block.tool).toBeDefined();
            if (block.part?.kind === 'text') expect(textOfBlock(reading, block)).toBe(block.part.text);
          }
          const strings = blocks
            .filter(({ kind }) => kind === 'text')
            .map((block) => textOfBlock(reading, block));
          for (const words of sent.words) expect(strings.some((one) => one.includes(words))).toBe(true);
        }
      }),
      // The first of them folds for certain; the others do as chance has it.
      { numRuns: runs(20), examples: [[{ host, script: FOLDED }]] },
    );
    expect(left).toBeGreaterThan(0);
  });
});

describe('what the provider read from its cache', () => {
  const blocks = [10, 0, 30, 60].map((sent) => ({ tokens: { asked: 60, sent } }));

  test.each([
    [0, [false, undefined, false, false]],
    [0.4, [true, undefined, true, false]],
    [0.2, [true, undefined, false, false]],
    [1, [true, undefined, true, true]],
  ])('is the beginning: a share of %d', (share, expected) => {
    expect(cachedOf(blocks, share)).toEqual(expected);
  });
});

test('a picture is shown by its beginning, and long words of people as they are', () => {
  const data = 'A'.repeat(50_000);
  const body = {
    model: 'claude',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', data } },
          { type: 'text', text: data },
        ],
      },
    ],
  };
  const reading = readRequest(JSON.stringify(body), 'anthropic', digest);
  const [image, words] = blocksOf(reading, [], digest).filter(({ message }) => message === 0);
  expect(textOfBlock(reading, image!).length).toBeLessThan(300);
  expect(textOfBlock(reading, image!)).toContain('… (50000 characters)');
  expect(textOfBlock(reading, words!)).toBe(data);
});
