import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf } from '../../cli/services/calls.ts';
import { startHost } from '../../hooks/fixture.suite.ts';
import { forget } from '../../system/actions/forget.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { forgetPluginFiles } from './plugin-files.ts';

function written(data: string, host: string, ...names: string[]): void {
  mkdirSync(join(data, 'plugins', host), { recursive: true });
  for (const name of names) writeFileSync(join(data, 'plugins', host, `${name}.jsonl`), 'pieces of results');
}

test('a session that is forgotten takes along what plugins wrote down of it', async () => {
  const data = temporaryFolder();
  const host = await startHost({}, { data });
  host.host = 'opencode';
  await host.start();
  written(data, 'opencode', host.session, `${host.session}_ses_2`, 'another');
  const { id } = host.services.journal.database.get<{ id: string }>('SELECT id FROM session')!;
  await callsOf(host.services, localOwner)(forget, { kind: 'session', id });
  expect(readdirSync(join(data, 'plugins', 'opencode'))).toEqual(['another.jsonl']);
});

test('where no plugin wrote anything there is nothing to forget', async () => {
  expect(await forgetPluginFiles(temporaryFolder(), ['ses_1'])).toBe(0);
});

test('a name that another one begins with is another', async () => {
  const data = temporaryFolder();
  written(data, 'pi', 'ses_1', 'ses_12');
  expect(await forgetPluginFiles(data, ['ses_1'])).toBe(1);
  expect(readdirSync(join(data, 'plugins', 'pi'))).toEqual(['ses_12.jsonl']);
});
