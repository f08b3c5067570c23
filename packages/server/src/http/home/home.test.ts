import { describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../kernel/version.ts';
import {
  makeToken,
  noteTool,
  type ServiceOptions,
  TEST_DATA,
  testConfig,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { createHttpApp } from '../app.ts';
import { Metrics } from '../metrics.ts';
import { waysToConnect } from './connect-instructions.ts';

const HOSTS = [
  'Claude Code',
  'Codex',
  'Gemini CLI',
  'OpenCode',
  'Qwen Code',
  'Cursor',
  'VS Code',
  'Any other host',
];

async function setUp(options: ServiceOptions = {}) {
  const services = await testServices({ tools: [noteTool], ...options });
  const metrics = new Metrics(services.journal);
  const app = createHttpApp({ ...services, observer: metrics, metrics, ready: () => true });
  onTestFinished(() => app.close());
  const get = async (headers: Record<string, string> = {}) =>
    app.fetch(
      new Request('http://localhost:4711/', {
        headers: { host: 'localhost:4711', accept: 'application/json', ...headers },
      }),
    );
  const addProject = (path: string) =>
    ensureProject(services.journal, localOwner, resolveProject(services.journal.database, localOwner, path));
  return { services, get, addProject };
}

describe('GET /', () => {
  test.each(['application/json', '*/*'])('tells its owner what is running, as data (%s)', async (accept) => {
    const { get, addProject } = await setUp();
    await addProject('/home/someone/shop');
    const response = await get({ accept });
    expect(await response.json()).toMatchObject({
      name: 'infold',
      mcp: 'http://localhost:4711/mcp?names=portable',
      version: VERSION,
      projects: 1,
      data: TEST_DATA,
      doors: [{ name: 'memory', tools: ['memory.note'] }],
      models: expect.arrayContaining([
        { upstream: 'anthropic', dialect: 'anthropic', address: 'http://localhost:4711/model/anthropic' },
      ]),
      connect: expect.arrayContaining([
        {
          host: 'Claude Code',
          transport: 'install',
          where: 'command',
          text: expect.stringMatching(/^node .*infold\.mjs install claude-code$/),
        },
      ]),
    });
  });

  test('with tokens in force tells its name and how to connect, with a token and without', async () => {
    const { services, get, addProject } = await setUp();
    await addProject('/home/someone/shop');
    const { token } = await makeToken(services.journal, { scopes: ['read', 'write', 'review', 'admin'] });
    const known = { authorization: `Bearer ${token}` };
    for (const headers of [{}, known, { authorization: 'nonsense' }]) {
      const response = await get(headers);
      const text = await response.text();
      expect(response.status).toBe(200);
      for (const host of HOSTS) expect(text).toContain(host);
      expect(text).toContain('http://localhost:4711/mcp?names=portable');
      expect(text).toContain('Authorization: Bearer inf_YOUR_TOKEN');
      for (const kept of [VERSION, TEST_DATA, 'memory.note', 'infold.mjs', 'shop']) {
        expect(text).not.toContain(kept);
      }
      const { models, ...rest } = JSON.parse(text);
      expect(Object.keys(rest)).toEqual(['name', 'mcp', 'connect']);
      const address = 'http://localhost:4711/model/anthropic/~inf_YOUR_TOKEN';
      if (headers === known)
        expect(models).toContainEqual({ upstream: 'anthropic', dialect: 'anthropic', address });
      else expect(models).toBeUndefined();
    }
  });

  test('tells only names and ways where an issuer of tokens is configured', async () => {
    const oauth = {
      issuer: 'https://issuer.example',
      audience: 'infold',
      jwks: 'https://issuer.example/keys',
    };
    const { get } = await setUp({ config: testConfig({ oauth }) });
    const text = await (await get()).text();
    expect(text).toContain('Claude Code');
    expect(text).not.toContain(VERSION);
  });

  test('is not for other hosts', async () => {
    const { get } = await setUp();
    expect((await get({ host: 'evil.example' })).status).toBe(403);
  });
});

describe('ways to connect', () => {
  const address = 'http://127.0.0.1:9090/mcp?names=portable';

  test.each([
    ['a server that needs a token', { address, needsToken: true, program: undefined }],
    ['one on this machine', { address, needsToken: false, program: '/opt/my apps/infold.mjs' }],
  ])('to %s: what is JSON is valid, every host has one by the address', (_title, server) => {
    const ways = waysToConnect(server);
    expect([...new Set(ways.map(({ host }) => host))]).toEqual(HOSTS);
    for (const { text } of ways) if (text.startsWith('{')) expect(() => JSON.parse(text)).not.toThrow();
    for (const host of HOSTS) {
      const byAddress = ways.find((way) => way.host === host && way.transport === 'http');
      // Else everything would be of one project.
      expect(byAddress?.text).toContain(`${address}&project=/path/to/your/project`);
      const asksForToken = /inf_YOUR_TOKEN|bearer_token_env_var/.test(byAddress!.text);
      expect(asksForToken, host).toBe(server.needsToken);
    }
  });

  test('are as install has them: it comes first, then a process, and an address last', () => {
    const ways = waysToConnect({ address, needsToken: false, program: '/opt/infold.mjs' });
    const of = (host: string) => ways.filter((way) => way.host === host);
    expect(of('Codex').map(({ transport }) => transport)).toEqual(['install', 'stdio', 'http']);
    expect(of('Codex')[0]!.text).toBe('node /opt/infold.mjs install codex');
    expect(of('Any other host').map(({ transport }) => transport)).toEqual(['stdio', 'http']);
    expect(ways.map(({ text }) => text).join()).not.toContain('required');
  });

  test('quote a path with spaces for the shell', () => {
    const ways = waysToConnect({ address, needsToken: false, program: "/opt/it's mine/infold.mjs" });
    const texts = ways.map(({ text }) => text);
    expect(texts).toContain("claude mcp add infold -- node '/opt/it'\\''s mine/infold.mjs' stdio");
  });
});
