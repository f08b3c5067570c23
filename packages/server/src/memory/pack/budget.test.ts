import { CONTEXT_FORMATS, CONTEXT_LAYERS, MEMORY_KINDS } from '@infold/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import type { CallResult } from '../../mcp/tools/call.ts';
import { MemoryAgent, startMemory } from '../fixture.suite.ts';

const DEFAULTS = { wake: 1500, recall: 4000, deep_search: 8000 };
const text = ({ content }: CallResult) => content[0]!.text;
const data = ({ structuredContent }: CallResult) => JSON.stringify(structuredContent);
/** What the model of each kind of client reads. */
const CLIENTS = [
  { name: 'opencode', read: text },
  { name: 'claude-code', read: data },
  {
    name: 'qwen-code',
    read: (result: CallResult) =>
      text(result) === data(result) ? text(result) : data(result) + text(result),
  },
];

const words = fc.constantFrom(
  ...[
    'release',
    'notes',
    'retention',
    'artifacts',
    'review',
    'Thursday',
    'the',
    'of',
    'is',
    'not',
    '`config.ts`',
    'ERR_7',
  ],
  ...[
    '発行',
    'リリース',
    'Überprüfung',
    '🙂',
    'https://example.com/a/very/long/path?with=query',
    '\n',
    '- ',
    '"quoted"',
  ],
);
const sentence = fc.array(words, { minLength: 1, maxLength: 40 }).map((all) => all.join(' '));
const day = fc
  .integer({ min: 1, max: 28 })
  .map((number) => `2026-02-${String(number).padStart(2, '0')}T09:00:00Z`);
/** What packs say more about than what it says: values that differ, repetitions, wishes that changed, long texts. */
const content = fc.oneof(
  sentence,
  sentence.map((said) => `release notes ${said}. `.repeat(40)),
  sentence.map((said) => `${said}. The retention of artifacts. `.repeat(15)),
  fc.nat(40).map((number) => `The retention of release artifacts is ${number} days.`),
  fc
    .constantFrom('a', 'the')
    .map((article) => `Release notes are written on Thursday after ${article} review of open changes.`),
  fc
    .constantFrom('English', 'German', 'French')
    .map((language) => `Always write release notes in ${language}.`),
);
const item = fc.record(
  {
    content: content.filter((said) => said.trim() !== ''),
    kind: fc.constantFrom(...MEMORY_KINDS),
    title: fc.constantFrom('Release', 'Retention of artifacts', 'リリース'),
    author: fc.constantFrom('user', 'assistant', 'Ada'),
    thread: fc.constantFrom('one', 'two'),
    at: day,
    source: fc.constant('docs/release/a-long-name-of-a-file.md'),
    tags: fc.constant(['release', 'notes']),
    metadata: fc.constant({ remark: 'nobody needs this remark '.repeat(20) }),
  },
  { requiredKeys: ['content', 'at'] },
);
const stores = fc.record({
  own: fc.array(item, { minLength: 40, maxLength: 60, size: 'max' }),
  others: fc.array(item, { maxLength: 10 }),
  goal: fc.constantFrom(
    ...[
      'release notes and the retention of artifacts',
      'How have release artifacts changed?',
      'Please write the release notes now',
    ],
  ),
  project: fc.constantFrom(undefined, '*', 'shop'),
});

test('what a model reads of a default pack is within the budget, whatever is stored and whoever reads it', async () => {
  verifies('PACK-13');
  let fullest = 0;
  await fc.assert(
    fc.asyncProperty(stores, async ({ own, others, goal, project }) => {
      const { agent: owner, services } = await startMemory();
      await owner.project('shop');
      await owner.import(own, 'shop');
      if (others.length > 0) await owner.import(others, 'bank');
      for (const { name, read } of CLIENTS) {
        const agent = new MemoryAgent(services, owner.caller, 'shop');
        agent.client = { name, version: '1' };
        for (const layer of CONTEXT_LAYERS) {
          for (const format of [undefined, ...CONTEXT_FORMATS]) {
            const result = await agent.result('context', {
              goal,
              layer,
              format,
              ...(project ? { project } : {}),
            });
            const tokens = countTokens(read(result));
            expect(tokens, `${name}, ${layer}, ${format}`).toBeLessThanOrEqual(DEFAULTS[layer]);
            fullest = Math.max(fullest, tokens / DEFAULTS[layer]);
          }
        }
      }
    }),
    {
      numRuns: 3,
      examples: fc.sample(stores, { numRuns: 1, seed: 1 }).map((store) => [store]),
      endOnFailure: true,
    },
  );
  // Else nothing had to be left out; the first store is always the same.
  expect(fullest).toBeGreaterThan(0.9);
}, 120_000);
