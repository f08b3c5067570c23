import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WindowReceipt } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { startScriptedModel } from '../hosts/scripted-model.ts';
import { isRunning, run, runJson, start, startServer, temporaryFolder, until } from '../support/program.ts';
import { fakeHost } from './fake-host.ts';

const answers = (url: string) =>
  fetch(new URL('/healthz', url)).then(
    () => true,
    () => false,
  );

describe('infold run', () => {
  test('starts a server for a host that ends with it, and passes on words, input, output and exit code', async () => {
    verifies('WIN-08');
    const host = fakeHost('claude');
    const { code, stdout, stderr } = await run(
      ['--data', host.data, 'run', 'claude-code', '--', '-p', 'Go on'],
      { env: host.env({ FAKE: 'exit 5', FAKE_READS: '1' }), cwd: host.project, input: 'typed' },
    );
    expect(code, stderr).toBe(5);
    expect(stdout).toBe('said by the command');
    const { argv, env, health, stdin } = host.seen();
    expect(health?.version).toBeDefined();
    expect(stdin).toBe('typed');
    expect(argv.slice(-2)).toEqual(['-p', 'Go on']);
    expect(env.ENABLE_TOOL_SEARCH).toBe('true');
    expect(new URL(env.ANTHROPIC_BASE_URL!).pathname).toBe('/model/anthropic');
    const { mcpServers } = JSON.parse(argv[0]!.replace('--mcp-config=', ''));
    expect(mcpServers.infold.args).toEqual(
      expect.arrayContaining(['stdio', '--data', host.data, '--project', host.project]),
    );
    expect(await answers(env.ANTHROPIC_BASE_URL!)).toBe(false);
    expect(stderr).toContain('no request of claude went through the window door');
  });

  test('writes nothing to the home of the host or to the project', async () => {
    verifies('WIN-08');
    const host = fakeHost('codex');
    const { code, stderr } = await run(['--data', host.data, 'run', 'codex'], {
      env: host.env(),
      cwd: host.project,
    });
    expect(code, stderr).toBe(0);
    expect(readdirSync(host.home)).toEqual([]);
    expect(readdirSync(host.project)).toEqual([]);
  });

  test('takes the server that runs on the data folder, and leaves it running', async () => {
    const server = await startServer();
    const host = fakeHost('claude');
    const { code, stderr } = await run(['--data', server.data, 'run', 'claude-code'], {
      env: host.env({ INFOLD_PORT: String(server.port) }),
    });
    expect(code, stderr).toBe(0);
    expect(host.seen().env.ANTHROPIC_BASE_URL).toBe(`${server.url}/model/anthropic`);
    expect(await answers(server.url)).toBe(true);
  });

  test('takes no server of another data folder, and says so', async () => {
    const server = await startServer();
    const host = fakeHost('claude');
    const { code, stderr } = await run(['--data', host.data, 'run', 'claude-code'], {
      env: host.env({ INFOLD_PORT: String(server.port) }),
    });
    expect(code).toBe(0);
    expect(stderr).toContain(`The Infold at ${server.url} serves another data folder`);
    expect(new URL(host.seen().env.ANTHROPIC_BASE_URL!).port).not.toBe(String(server.port));
  });

  test.each([
    ['SIGTERM', 41],
    ['SIGHUP', 42],
    ['SIGINT', 43],
  ] as const)('passes %s on and ends with the command', async (signal, expected) => {
    const host = fakeHost('claude');
    const running = start(['--data', host.data, 'run', 'claude-code'], { env: host.env({ FAKE: 'wait' }) });
    await until(host.hasStarted, 60_000);
    running.process.kill(signal);
    expect((await running.ended).code).toBe(expected);
    const { env, pid } = host.seen();
    expect(isRunning(pid)).toBe(false);
    expect(await answers(env.ANTHROPIC_BASE_URL!)).toBe(false);
  });

  test('leaves no server behind when it is killed itself', async () => {
    const host = fakeHost('claude');
    const running = start(['--data', host.data, 'run', 'claude-code'], { env: host.env({ FAKE: 'wait' }) });
    await until(host.hasStarted, 60_000);
    running.process.kill('SIGKILL');
    const { env, pid } = host.seen();
    await until(async () => !(await answers(env.ANTHROPIC_BASE_URL!)));
    process.kill(pid, 'SIGKILL');
    await running.ended;
  });

  test('tells a command that was killed as shells do', async () => {
    const host = fakeHost('claude');
    const { code } = await run(['--data', host.data, 'run', 'claude-code'], {
      env: host.env({ FAKE: 'kill' }),
    });
    expect(code).toBe(137);
  });

  test('sets what SDKs read for any other command', async () => {
    const host = fakeHost('agent');
    const { code, stderr } = await run(['--data', host.data, 'run', '--', 'agent', '--fast'], {
      env: host.env({ FAKE: 'exit 3' }),
    });
    expect(code, stderr).toBe(3);
    const { argv, env } = host.seen();
    expect(argv).toEqual(['--fast']);
    const { origin } = new URL(env.ANTHROPIC_BASE_URL!);
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: `${origin}/model/anthropic`,
      OPENAI_BASE_URL: `${origin}/model/openai/v1`,
      OPENAI_API_BASE: `${origin}/model/openai/v1`,
      GOOGLE_GEMINI_BASE_URL: `${origin}/model/gemini`,
    });
  });

  test('tells of its own conversations, and not of those of others on the same data folder', async () => {
    const gateway = await startScriptedModel([]);
    const env = { ANTHROPIC_BASE_URL: gateway.url, FAKE_ASK: '/v1/messages' };
    const one = fakeHost('claude');
    const other = fakeHost('claude');
    const running = start(['--data', one.data, 'run', 'claude-code'], {
      env: one.env({ ...env, FAKE: 'wait', FAKE_SESSION: 'one' }),
    });
    await until(one.hasStarted, 60_000);
    const told = await run(['--data', one.data, 'run', 'claude-code'], {
      env: other.env({ ...env, FAKE_SESSION: 'other' }),
    });
    running.process.kill('SIGTERM');
    const receipts = [told.stderr, (await running.ended).stderr];
    await gateway.close();
    const ids = receipts.map((text) => [...text.matchAll(/Receipt of (\S+)/g)].map(([, id]) => id));
    expect(ids.map(({ length }) => length)).toEqual([1, 1]);
    expect(ids[0]).not.toEqual(ids[1]);
  });

  test('sends on to the address that was set before, with what the command sends', async () => {
    const gateway = await startScriptedModel([]);
    const host = fakeHost('claude');
    const { code, stderr } = await run(['--data', host.data, 'run', 'claude-code'], {
      env: host.env({ ANTHROPIC_BASE_URL: `${gateway.url}/company`, FAKE_ASK: '/v1/messages' }),
    });
    await gateway.close();
    expect(code, stderr).toBe(0);
    expect(gateway.aside).toEqual(['POST /company/v1/messages']);
    expect(host.seen().asked).toContain('Fine.');
    expect(stderr).toMatch(/^Receipt of \S+ \(.*claude-sonnet-4-5\), since \S+Z\n {2}requests +1\n/);
  });

  test('goes through a door that was set before, and not through a second one', async () => {
    const gateway = await startScriptedModel([]);
    const server = await startServer({ args: ['--upstream', `anthropic=${gateway.url}`] });
    const host = fakeHost('claude');
    const address = `${server.url}/model/anthropic`;
    const { code, stderr } = await run(['--data', server.data, 'run', 'claude-code'], {
      env: host.env({ ANTHROPIC_BASE_URL: address, FAKE_ASK: '/v1/messages' }),
    });
    await gateway.close();
    expect(code, stderr).toBe(0);
    expect(host.seen().env.ANTHROPIC_BASE_URL).toBe(address);
    expect(gateway.aside).toEqual(['POST /v1/messages']);
    expect(stderr).toContain(`conversations that went through ${server.url} meanwhile\nReceipt of`);
  });

  test('opens its door with a token that is on no record, where callers need one', async () => {
    const host = fakeHost('claude');
    await runJson(host.data, 'token', 'create', '--name', 'somebody');
    const gateway = await startScriptedModel([]);
    const { code, stderr, stdout } = await run(['--data', host.data, 'run', 'claude-code'], {
      env: host.env({ ANTHROPIC_BASE_URL: gateway.url, FAKE_ASK: '/v1/messages', FAKE_STRANGER: '1' }),
      cwd: host.project,
    });
    await gateway.close();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Receipt of');
    const { argv, env, stranger } = host.seen();
    const [, token] = /^\/model\/anthropic\/~(inf_[\w-]{20,})$/.exec(
      new URL(env.ANTHROPIC_BASE_URL!).pathname,
    )!;
    expect(argv.join(' ') + stdout + stderr).not.toContain(token);
    // Without it nobody gets through, and the token opens nothing else.
    expect(gateway.aside).toEqual(['POST /v1/messages']);
    expect(stranger).toEqual({ door: 401, wrong: 401, api: 401 });
    const { tokens } = await runJson<{ tokens: unknown[] }>(host.data, 'token', 'list');
    expect(tokens).toHaveLength(1);
  });

  test('writes the receipt to a file for a script, or none', async () => {
    const host = fakeHost('claude');
    const file = join(temporaryFolder(), 'receipt.json');
    const told = await run(['--data', host.data, 'run', '--receipt', file, 'claude-code'], {
      env: host.env(),
    });
    expect(told.stderr).toBe('');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      command: 'claude',
      exit_code: 0,
      requests: 0,
      conversations: [],
    });
    const silent = await run(['--data', host.data, 'run', '--no-receipt', 'claude-code'], {
      env: host.env(),
    });
    expect(silent.stderr).toBe('');
  });

  test('starts nothing where the receipt could not be written', async () => {
    const host = fakeHost('claude');
    for (const file of [join(temporaryFolder(), 'no', 'folder.json'), temporaryFolder()]) {
      const refused = await run(['--data', host.data, 'run', '--receipt', file, 'claude-code'], {
        env: host.env(),
      });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`written to ${file}`) });
    }
    expect(host.hasStarted()).toBe(false);
    expect(existsSync(host.data)).toBe(false);
  });

  test('tells of this run, and not of what the conversation had before', async () => {
    const gateway = await startScriptedModel([]);
    const host = fakeHost('claude');
    const file = join(temporaryFolder(), 'receipt.json');
    const env = host.env({ ANTHROPIC_BASE_URL: gateway.url, FAKE_ASK: '/v1/messages' });
    const receipts: { started_at: string; requests: number; conversations: WindowReceipt[] }[] = [];
    for (let time = 1; time <= 2; time++) {
      await run(['--data', host.data, 'run', '--receipt', file, 'claude-code'], { env });
      receipts.push(JSON.parse(readFileSync(file, 'utf8')));
    }
    await gateway.close();
    const [first, second] = receipts.map(({ conversations }) => conversations[0]!);
    expect(second!.conversation.id).toBe(first!.conversation.id);
    expect(receipts.map(({ requests }) => requests)).toEqual([1, 1]);
    expect(second!.since).toBe(receipts[1]!.started_at);
    expect(second!.entries.first).toBeGreaterThan(first!.entries.last);
  });

  test('shows what it would run, and makes nothing', async () => {
    const host = fakeHost('claude');
    const { code, stdout } = await run(['--data', host.data, 'run', '--dry-run', 'claude-code', '--', '-c'], {
      env: host.env({ ANTHROPIC_BASE_URL: 'https://gateway.example/anthropic' }),
    });
    expect(code).toBe(0);
    expect(stdout).toContain('# anthropic goes to https://gateway.example/anthropic');
    expect(stdout).toContain('ANTHROPIC_BASE_URL=http://127.0.0.1:PORT/model/anthropic');
    expect(stdout).toMatch(/bin\/claude .* -c\n$/);
    expect(host.hasStarted()).toBe(false);
    expect(existsSync(host.data)).toBe(false);
  });

  test('says how to install a host that is not there, and which hosts there are', async () => {
    const host = fakeHost('claude');
    const missing = await run(['--data', host.data, 'run', 'codex'], { env: host.env() });
    expect(missing).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('npm install -g @openai/codex installs it'),
    });
    const unknown = await run(['--data', host.data, 'run', 'emacs'], { env: host.env() });
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are claude-code, codex, gemini, qwen, opencode'),
    });
    expect((await run(['run'], { env: host.env() })).code).toBe(2);
    expect(existsSync(host.data)).toBe(false);
  });
});
