import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listRuleUsage, listTurns } from '../../library/actions/usage.ts';
import { STYLE } from '../../library/fixture.suite.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { FOLDER, type HookHost, startHost } from '../fixture.suite.ts';

function writeRule(text: string, at: number): { folder: string; path: string } {
  const folder = temporaryFolder();
  const path = join(folder, '.claude', 'rules', 'style.md');
  mkdirSync(join(folder, '.claude', 'rules'), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, at / 1000, at / 1000);
  return { folder, path };
}

const PAST = Date.UTC(2026, 0, 1);

const usageOf = async (host: HookHost) => {
  const people = host.server.library;
  const { rules } = await people.act(host.caller, listRuleUsage, { project: FOLDER });
  const { turns } = await people.act(host.caller, listTurns, { project: FOLDER });
  return { rules, turns };
};

test('a rule file that a host loaded is evidence, by its hash, once in a session', async () => {
  const host = await startHost({ 'coding/STYLE.md': STYLE });
  await host.start();
  const { path } = writeRule(STYLE, PAST);
  const event = { kind: 'instructions-loaded', path, reason: 'session_start' } as const;
  expect(await host.hear(event)).toEqual({});
  await host.hear(event);
  const { rules } = await usageOf(host);
  expect(rules).toMatchObject([
    { path: 'coding/STYLE.md', loaded: 0, loaded_by_host: 1, state: 'loaded_never_referred' },
  ]);
});

test('a turn shows it, and who applies such a rule does not claim it without loading', async () => {
  const host = await startHost({ 'coding/STYLE.md': STYLE });
  const { path, folder } = writeRule(STYLE, PAST);
  await host.start();
  await host.hear({ kind: 'instructions-loaded', path }, { folder });
  const library = { project_path: undefined };
  await host.call('memory.setup', { session_id: host.session, ...library });
  const { items } = await host.call<{ items: { id: string }[] }>('memory.discover', library);
  await host.call('memory.refer', { refs: [{ ruleId: items[0]!.id, constraintId: 'Naming/1' }], ...library });
  const { turns } = await usageOf(host);
  expect(turns[0]).toMatchObject({
    loaded: [],
    loaded_by_host: [{ id: items[0]!.id, path: 'coding/STYLE.md', file: '.claude/rules/style.md' }],
    claimed: [{ constraint_id: 'Naming/1', loaded: true, stale: false }],
  });
});

test('a file with other content is no evidence for any rule', async () => {
  const host = await startHost({ 'coding/STYLE.md': STYLE });
  await host.hear({ kind: 'instructions-loaded', path: writeRule(`${STYLE}\n`, PAST).path });
  expect((await usageOf(host)).rules).toMatchObject([{ loaded_by_host: 0, state: 'never_loaded' }]);
});

test('a file that is not there, no file, or changed since, leaves nothing', async () => {
  const host = await startHost({ 'coding/STYLE.md': STYLE });
  const { folder } = writeRule(STYLE, PAST);
  const changed = writeRule(STYLE, Date.UTC(2027, 0, 1)).path;
  for (const path of [join(folder, 'none.md'), folder, changed, '/dev/zero'])
    expect(await host.hear({ kind: 'instructions-loaded', path })).toEqual({});
  expect((await usageOf(host)).rules).toMatchObject([{ loaded_by_host: 0 }]);
  expect(host.sessionNow()).toBeUndefined();
});
