import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  initializeCall,
  post,
  type Server,
  start,
  startServer,
  statusCall,
  temporaryFolder,
  until,
} from '../support/program.ts';

const SAMPLE =
  /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="(\\.|[^"\\])*",?)*\})? ([Nn]a[Nn]|[+-]?(Inf|[0-9.e+-]+))( [0-9]+)?$/;

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('serve', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ args: ['--log-level', 'trace'] });
  });
  afterAll(() => server.stop());

  test('tells that it is alive and ready', async () => {
    verifies('KERN-14');
    const health = await fetch(`${server.url}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const ready = await fetch(`${server.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready', seq: 0 });
  });

  test('has metrics that Prometheus can read', async () => {
    verifies('KERN-14');
    await post(`${server.url}/mcp`, statusCall);
    const response = await fetch(`${server.url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).trim().split('\n');
    const typed = new Set(
      lines.flatMap((line) => /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line)?.[1] ?? []),
    );
    for (const line of lines) {
      if (line === '' || line.startsWith('# HELP ') || line.startsWith('# TYPE ')) continue;
      expect(line).toMatch(SAMPLE);
      const name = /^[^{ ]+/.exec(line)![0];
      expect(
        [name, name.replace(/_(bucket|sum|count)$/, '')].some((known) => typed.has(known)),
        name,
      ).toBe(true);
    }
    expect(lines).toContain('infold_tool_calls_total{tool="infold_status",outcome="ok"} 1');
    expect(lines).toContain('infold_journal_head 0');
    expect(lines).toContain('infold_streams_open 0');
    expect(lines.some((line) => line.startsWith('process_cpu_seconds_total'))).toBe(true);
  });

  test('logs JSON lines on stderr, without tokens', async () => {
    verifies('KERN-14');
    await post(`${server.url}/mcp`, statusCall, { authorization: 'Bearer inf_topsecret' });
    await post(`${server.url}/mcp`, '{ broken');
    const lines = jsonLines(server.stderr());
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line.level).toBeTypeOf('number');
      expect(String(line.time)).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(line.msg).toBeTypeOf('string');
    }
    expect(lines.map(({ msg }) => msg)).toContain('serving');
    expect(server.stderr()).not.toContain('inf_topsecret');
  });
});

test('the log level is respected', async () => {
  const server = await startServer({ args: ['--log-level', 'silent'] });
  await post(`${server.url}/mcp`, '{ broken');
  expect((await server.stop()).stderr).toBe('');
});

describe('stdio', () => {
  test('writes nothing but the protocol on stdout, even when it logs everything', async () => {
    verifies('KERN-14');
    const running = start(['--log-level', 'trace', 'stdio', '--data', temporaryFolder()]);
    const lines = [initializeCall, statusCall, { ...statusCall, id: 2, params: { name: 'no_such_tool' } }];
    for (const line of lines) running.process.stdin!.write(`${JSON.stringify(line)}\n`);
    running.process.stdin!.write('{ broken\n');
    await until(() => running.stdout().split('\n').length === 5);
    running.process.stdin!.end();
    const { stdout, stderr } = await running.ended;
    for (const line of jsonLines(stdout)) expect(line.jsonrpc).toBe('2.0');
    expect(jsonLines(stdout)).toHaveLength(4);
    const logged = jsonLines(stderr);
    expect(logged.length).toBeGreaterThan(0);
    for (const line of logged) expect(line.level).toBeTypeOf('number');
  });

  test('is quiet on stderr in ordinary use: hosts show that as trouble', async () => {
    const input = `${JSON.stringify(initializeCall)}\n${JSON.stringify(statusCall)}\n`;
    const { stderr } = await start(['stdio', '--data', temporaryFolder()], { input }).ended;
    expect(stderr).toBe('');
  });

  test.each([[[]], [['--project', '.']]])('its project is its working folder: %j', async (args) => {
    const folder = temporaryFolder();
    const input = `${JSON.stringify(initializeCall)}\n${JSON.stringify(statusCall)}\n`;
    const { stdout } = await start(['stdio', '--data', temporaryFolder(), ...args], { cwd: folder, input })
      .ended;
    const [, answer] = jsonLines(stdout) as { result?: { structuredContent?: unknown } }[];
    expect(answer?.result?.structuredContent).toMatchObject({ project: { path: folder } });
  });
});
