import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../kernel/version.ts';
import {
  makeToken,
  noteTool,
  type ServiceOptions,
  testConfig,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/caller.ts';
import { ensureProject, resolveProject } from '../../trust/projects.ts';
import { createHttpApp } from '../app.ts';
import { Metrics } from '../metrics.ts';
import { waysToConnect } from './connect.ts';
import { PAGE_POLICY, renderHome } from './page.ts';

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
        headers: { host: 'localhost:4711', accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
      }),
    );
  const addProject = (path: string) =>
    ensureProject(services.journal, localOwner, resolveProject(services.journal.database, localOwner, path));
  return { services, get, addProject };
}

describe('GET /', () => {
  test('tells its owner what is running and how to connect each host to this very address', async () => {
    const { get, addProject } = await setUp();
    await addProject('/home/someone/shop');
    await addProject('/home/someone/blog');
    const response = await get();
    const page = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    for (const shown of [VERSION, '<dd>2</dd>', '/nowhere', 'memory.note', ...HOSTS]) {
      expect(page).toContain(shown);
    }
    expect(page).toContain('http://localhost:4711/mcp?names=portable');
    expect(page).toMatch(/bin\/infold\.mjs/);
  });

  test('loads and runs nothing: its policy allows the one style sheet that it holds', async () => {
    const { get } = await setUp();
    const response = await get();
    const page = await response.text();
    const policy = response.headers.get('content-security-policy');
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(PAGE_POLICY);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(page).not.toMatch(
      /<script|<link|<img|<iframe|<form|\ssrc=|\shref=|\sstyle=|\son\w+=|url\(|@import/i,
    );
    expect(style).toContain('prefers-color-scheme: dark');
  });

  test('answers JSON to who asks for it', async () => {
    const { get } = await setUp();
    const response = await get({ accept: 'application/json' });
    expect(await response.json()).toMatchObject({
      name: 'infold',
      mcp: 'http://localhost:4711/mcp?names=portable',
      version: VERSION,
      projects: 0,
      data: '/nowhere',
      doors: [{ name: 'memory', tools: ['memory.note'] }],
      connect: expect.arrayContaining([
        {
          host: 'Claude Code',
          transport: 'http',
          where: 'command',
          text: expect.stringContaining('claude mcp add'),
        },
      ]),
    });
  });

  test('with tokens in force tells its name and how to connect, with a token and without', async () => {
    const { services, get, addProject } = await setUp();
    await addProject('/home/someone/shop');
    const { token } = await makeToken(services.journal, { scopes: ['read', 'write', 'review', 'admin'] });
    for (const headers of [{}, { authorization: `Bearer ${token}` }, { authorization: 'nonsense' }]) {
      const response = await get(headers);
      const page = await response.text();
      expect(response.status).toBe(200);
      for (const host of HOSTS) expect(page).toContain(host);
      expect(page).toContain('http://localhost:4711/mcp?names=portable');
      expect(page).toContain('Authorization: Bearer inf_YOUR_TOKEN');
      for (const kept of [VERSION, '/nowhere', 'memory.note', 'infold.mjs', 'Projects']) {
        expect(page).not.toContain(kept);
      }
      const answer = (await (await get({ ...headers, accept: 'application/json' })).json()) as object;
      expect(Object.keys(answer)).toEqual(['name', 'mcp', 'connect']);
    }
  });

  test('tells only names and ways where an issuer of tokens is configured', async () => {
    const oauth = {
      issuer: 'https://issuer.example',
      audience: 'infold',
      jwks: 'https://issuer.example/keys',
    };
    const { get } = await setUp({ config: testConfig({ oauth }) });
    const page = await (await get()).text();
    expect(page).toContain('Claude Code');
    expect(page).not.toContain(VERSION);
  });

  test('is not for other hosts', async () => {
    const { get } = await setUp();
    expect((await get({ host: 'evil.example' })).status).toBe(403);
  });
});

test('everything that is shown is escaped', () => {
  const evil = `<script>alert("1")</script>&'`;
  const server = { address: `http://x/${evil}`, needsToken: false, program: `/home/${evil}/infold.mjs` };
  const page = renderHome({
    ...server,
    running: { version: evil, projects: 1, data: evil, doors: [{ name: evil, tools: [evil] }] },
    ways: waysToConnect(server),
  });
  expect(page).not.toContain('<script');
  expect(page).not.toContain(`"1"`);
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;');
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
      const [first] = ways.filter((way) => way.host === host);
      expect(first?.text).toContain(address);
      const asksForToken = /inf_YOUR_TOKEN|bearer_token_env_var/.test(first!.text);
      expect(asksForToken, host).toBe(server.needsToken);
    }
  });

  test('quote a path with spaces for the shell', () => {
    const ways = waysToConnect({ address, needsToken: false, program: "/opt/it's mine/infold.mjs" });
    const texts = ways.map(({ text }) => text);
    expect(texts).toContain("claude mcp add infold -- node '/opt/it'\\''s mine/infold.mjs' stdio");
  });
});
