import { type ActionShape, API, inputOf } from '@infold/protocol';
import { afterEach, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { verifies } from '../../../../test/requirements.ts';
import { parseArguments } from '../call/arguments.ts';
import { fromText } from '../call/text-arguments.ts';
import { errorOf, temporaryFolder, testConfig } from '../testing/fixtures.suite.ts';
import { main } from './main.ts';

type Input = Record<string, unknown>;

interface Told {
  code: unknown;
  error: unknown;
}

const { limits } = testConfig();
const schemaOf = (shape: ActionShape): z.ZodObject => inputOf(shape, limits);

/** What the pipeline says to an input. */
async function expected(shape: ActionShape, input: Input): Promise<Told> {
  const { code, message } = await errorOf(() =>
    parseArguments({ name: shape.name, input: schemaOf(shape) }, input),
  );
  return { code, error: message };
}

const TEXTS = ['abc', '-1', '1.5', '999999999', 'maybe', 'x'.repeat(5000)];

function isBad(shape: ActionShape, field: string, input: Input): boolean {
  return (
    schemaOf(shape)
      .safeParse(input)
      .error?.issues.some(({ path }) => path[0] === field) ?? false
  );
}

/** How commands call the fields of their actions, and what they always give. */
const COMMANDS: {
  argv: string[];
  action: keyof typeof API;
  gives: Input;
  flags: Record<string, string>;
}[] = [
  {
    argv: ['memory', 'search', 'x'],
    action: 'searchMemory',
    gives: { q: 'x', limit: '10' },
    flags: { limit: '--limit', project: '--project', domain: '--domain' },
  },
  {
    argv: ['memory', 'ask', 'x'],
    action: 'askMemory',
    gives: { q: 'x', limit: '5' },
    flags: { limit: '--limit', project: '--project', domain: '--domain' },
  },
  {
    argv: ['memory', 'show', 'x'],
    action: 'readMemoryItem',
    gives: { id: 'x' },
    flags: { project: '--project' },
  },
  {
    argv: ['memory', 'related', 'x'],
    action: 'listRelatedItems',
    gives: { id: 'x' },
    flags: { project: '--project' },
  },
  {
    argv: ['pack', 'x'],
    action: 'context',
    gives: { goal: 'x' },
    flags: {
      intent: '--intent',
      layer: '--layer',
      project: '--project',
      domain: '--domain',
      agent_id: '--agent',
      limit: '--limit',
      token_budget: '--budget',
      format: '--format',
    },
  },
  {
    argv: ['token', 'create', '--name', 'x'],
    action: 'createToken',
    gives: { name: 'x', scopes: ['read', 'write'] },
    flags: { org: '--org', scopes: '--scope', expires: '--expires' },
  },
  { argv: ['project', 'list'], action: 'listProjects', gives: {}, flags: { org: '--org' } },
  {
    argv: ['project', 'add', '--name', 'x'],
    action: 'addProject',
    gives: { name: 'x' },
    flags: { org: '--org' },
  },
  {
    argv: ['project', 'set', 'x'],
    action: 'setProject',
    gives: { project: 'x' },
    flags: { mirror: '--mirror', remember: '--remember', org: '--org' },
  },
  {
    argv: ['pod', 'send', 'x', 'y'],
    action: 'podSend',
    gives: { pod: 'x', text: 'y', kind: 'chat' },
    flags: { kind: '--kind', id: '--id', correlation_id: '--correlation' },
  },
  {
    argv: ['library', 'drafts'],
    action: 'listDrafts',
    gives: { limit: 1000 },
    flags: { project: '--project' },
  },
  {
    argv: ['library', 'rebase', 'a.md'],
    action: 'rebaseDraft',
    gives: { id: 'a.md' },
    flags: { take: '--take', project: '--project' },
  },
  {
    argv: ['attest', 'report'],
    action: 'reportUsage',
    gives: { by: 'rule' },
    flags: {
      ...{ by: '--by', days: '--days', since: '--since', agent: '--agent', model: '--model', rule: '--rule' },
      ...{ only: '--only', published_days: '--published-days', min_turns: '--min-turns' },
      ...{ fought_share: '--fought-share', min_edits: '--min-edits', project: '--project' },
    },
  },
  {
    argv: ['attest', 'trend', 'a.md'],
    action: 'readItemUsage',
    gives: { id: 'a.md' },
    flags: { revision: '--revision', min_turns: '--min-turns', project: '--project' },
  },
  {
    argv: ['attest', 'turns'],
    action: 'listTurns',
    gives: { limit: '20' },
    flags: { limit: '--limit', project: '--project' },
  },
];

afterEach(() => vi.restoreAllMocks());

test('a bad flag is told in the words of its action', async () => {
  verifies('KERN-18');
  const data = temporaryFolder();
  await main(['--data', data, '--json', 'project', 'add', '--name', 'x']);
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  let count = 0;
  for (const { argv, action, gives, flags } of COMMANDS) {
    const shape: ActionShape = API[action];
    const { shape: fields } = schemaOf(shape);
    const read = (name: string, text: unknown) =>
      typeof text === 'string' ? fromText(fields[name] as z.ZodType, text) : text;
    const given = Object.fromEntries(Object.entries(gives).map(([name, text]) => [name, read(name, text)]));
    for (const [field, flag] of Object.entries(flags)) {
      // One is enough to see that the flag reaches the field: a command takes its time.
      const text = TEXTS.find((one) => isBad(shape, field, { ...given, [field]: read(field, one) }));
      if (text === undefined) continue;
      said.mockClear();
      const exit = await main(['--data', data, '--json', ...argv, `${flag}=${text}`]);
      const { code, error } = JSON.parse(String(said.mock.calls.at(-1)?.[0])) as Told;
      const told = await expected(shape, { ...given, [field]: read(field, text) });
      expect({ code, error }, `${argv.join(' ')} ${flag}`).toEqual(told);
      expect(exit).toBe(2);
      count++;
    }
  }
  expect(count).toBeGreaterThan(15);
});
