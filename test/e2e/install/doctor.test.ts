import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { connectStdio, run, temporaryFolder, until } from '../support/program.ts';

interface Check {
  name: string;
  state: string;
  detail: string;
  advice?: string;
}

test('doctor follows a host from when it is found to when it is rid of us', async () => {
  verifies('HOST-01');
  const home = temporaryFolder();
  const data = join(home, 'data');
  mkdirSync(join(home, '.codex'));
  const config = 'model = "gpt-5.4" # mine\n';
  writeFileSync(join(home, '.codex', 'config.toml'), config);
  const options = { env: { HOME: home, PATH: '' }, cwd: home };
  const infold = (...words: string[]) => run(['--data', data, '--json', ...words], options);
  const codex = async () => {
    const { checks } = JSON.parse((await infold('doctor')).stdout) as { checks: Check[] };
    return checks.find(({ name }) => name === 'Codex');
  };
  expect(await codex()).toMatchObject({ detail: 'found, not installed', advice: 'infold install codex' });

  const { code, stdout } = await infold('install');
  expect(code, stdout).toBe(0);
  expect(await codex()).toMatchObject({
    state: 'warning',
    detail: 'installed for you; not connected yet; no hook has run yet',
    advice: expect.stringContaining('open /hooks'),
  });

  const { client } = await connectStdio('2025', data, [], 'codex-mcp-client');
  await client.listTools();
  const payload = {
    session_id: '5f0c7b1e-0000-4000-8000-000000000001',
    turn_id: 'turn-1',
    transcript_path: null,
    cwd: home,
    hook_event_name: 'SessionStart',
    source: 'startup',
  };
  const told = await run(['hook', 'codex', 'SessionStart', '--data', data], {
    ...options,
    input: JSON.stringify(payload),
  });
  expect(told).toMatchObject({ code: 0, stderr: '' });
  // It is noted a moment later.
  await until(() => existsSync(join(data, 'hooks-heard.json')), 20_000);
  expect((await codex())?.detail).toMatch(
    /^installed for you; connected (just now|1 minute ago); last hook .*\(SessionStart\)$/,
  );

  expect((await infold('uninstall')).code).toBe(0);
  expect((await codex())?.detail).toBe('found, not installed');
  expect(readFileSync(join(home, '.codex', 'config.toml'), 'utf8')).toBe(config);
});
