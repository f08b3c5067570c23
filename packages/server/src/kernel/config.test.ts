import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { errorOf, temporaryFolder } from '../testing/fixtures.suite.ts';
import { environmentName, loadConfig, parseList } from './config.ts';
import { maskedAddresses } from './nats-config.ts';

function fileWith(content: unknown): string {
  const path = join(temporaryFolder(), 'infold.config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('where values come from', () => {
  test('without anything given, the defaults', () => {
    const { config, origins, file } = loadConfig({}, {});
    expect(file).toBeNull();
    expect(config).toMatchObject({ port: 9090, host: '127.0.0.1', contextLimit: 32768, hardLimit: false });
    expect(config.data).toBe(join(homedir(), '.infold'));
    expect(config.toolsets).toEqual(['fold', 'library', 'memory', 'transient']);
    expect(config.toolNames).toBeUndefined();
    expect(config.limits).toEqual(LIMITS);
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
  });

  test('a flag beats the environment, which beats the file, which beats the default', () => {
    const file = fileWith({ port: 1, host: 'file.example', contextLimit: 1000, transientThreshold: 7 });
    const { config, origins } = loadConfig(
      { config: file, port: 3 },
      { INFOLD_PORT: '2', INFOLD_HOST: 'environment.example', INFOLD_CONTEXT_LIMIT: '2000' },
    );
    expect(config).toMatchObject({
      port: 3,
      host: 'environment.example',
      contextLimit: 2000,
      transientThreshold: 7,
      hardLimit: false,
    });
    expect(origins).toMatchObject({
      port: 'flag',
      host: 'environment',
      contextLimit: 'environment',
      transientThreshold: 'file',
      hardLimit: 'default',
    });
  });

  test('a flag that was not given hides nothing', () => {
    const { config, origins } = loadConfig({ port: undefined, host: undefined }, { INFOLD_PORT: '2' });
    expect(config.port).toBe(2);
    expect(origins).toMatchObject({ port: 'environment', host: 'default' });
  });

  test('single limits are overridden by name and the others stay', () => {
    const file = fileWith({ limits: { requestBytes: 1000, batchMessages: 3 } });
    const { config, origins } = loadConfig({ config: file }, { INFOLD_LIMITS_BATCH_MESSAGES: '5' });
    expect(config.limits).toEqual({ ...LIMITS, requestBytes: 1000, batchMessages: 5 });
    expect(origins['limits.requestBytes']).toBe('file');
    expect(origins['limits.batchMessages']).toBe('environment');
    expect(LIMITS.requestBytes).not.toBe(1000);
  });

  test('a setting of a door has a name in the environment too', () => {
    const { config, origins } = loadConfig({}, { INFOLD_LIBRARY_SELF_APPROVAL: 'false' });
    expect([config.library, origins.library]).toEqual([{ selfApproval: false }, 'environment']);
    expect(() => loadConfig({}, { INFOLD_LIBRARY_SELF_APPROVAL: 'maybe' })).toThrow('library.selfApproval');
  });

  test('upstreams, rules and prices of the window add up by name over file, environment and flags', () => {
    const file = fileWith({
      window: {
        upstreams: { ours: { url: 'https://models.example/base', dialect: 'openai' } },
        rules: { aged: false },
        scrub: 'warn',
      },
    });
    const { config, origins } = loadConfig(
      { config: file, window: { upstreams: { anthropic: { url: 'http://127.0.0.1:1' } } } },
      {
        INFOLD_WINDOW_ENABLED: 'false',
        INFOLD_WINDOW_RULES: '{"shortened":false}',
        INFOLD_WINDOW_BODY_BYTES: '1000',
        INFOLD_WINDOW_SCRUB: 'redact',
      },
    );
    expect(config.window).toEqual({
      enabled: false,
      upstreams: {
        anthropic: { url: 'http://127.0.0.1:1', dialect: 'anthropic' },
        openai: { url: 'https://api.openai.com', dialect: 'openai' },
        gemini: { url: 'https://generativelanguage.googleapis.com', dialect: 'gemini' },
        ours: { url: 'https://models.example/base', dialect: 'openai' },
      },
      rules: { aged: false, shortened: false },
      prices: {},
      bodyBytes: 1000,
      archiveDays: 30,
      scrub: 'redact',
    });
    expect(origins).toMatchObject({ 'window.enabled': 'environment', 'window.upstreams': 'flag' });
  });

  test('hooks are switched one by one', () => {
    const file = fileWith({ hooks: { wake: false } });
    const { config, origins } = loadConfig({ config: file }, { INFOLD_HOOKS_PROMPT: 'false' });
    expect(config.hooks).toEqual({
      ...{ wake: false, prompt: false },
      ...{ compaction: true, tools: true, shorten: true },
    });
    expect(origins).toMatchObject({ 'hooks.wake': 'file', 'hooks.prompt': 'environment' });
    expect(() => loadConfig({ config: fileWith({ hooks: { wakes: false } }) }, {})).toThrow('wakes');
    expect(() => loadConfig({}, { INFOLD_HOOKS_PROMPT: 'perhaps' })).toThrow('hooks.prompt');
  });

  test('where NATS is and who connects to it add up over file, environment and flags', () => {
    const file = fileWith({ nats: { url: 'nats://a:4222', creds: 'node.creds', tls: { ca: 'ca.pem' } } });
    const { config, origins } = loadConfig(
      { config: file, nats: { url: 'nats://b:4222, tls://[::1]:4223' } },
      { INFOLD_NATS_URL: 'nats://c', INFOLD_NATS_REPLICAS: '3' },
    );
    expect(config.nats).toEqual({
      url: 'nats://b:4222, tls://[::1]:4223',
      creds: join(dirname(file), 'node.creds'),
      nkey: undefined,
      tls: { ca: join(dirname(file), 'ca.pem') },
      replicas: 3,
    });
    expect(origins).toMatchObject({
      'nats.url': 'flag',
      'nats.creds': 'file',
      'nats.replicas': 'environment',
    });
    const environment = { INFOLD_NATS_NKEY: 'seed', INFOLD_NATS_TLS_CERT: 'c', INFOLD_NATS_TLS_KEY: 'k' };
    expect(loadConfig({}, environment).config.nats).toMatchObject({
      nkey: 'seed',
      tls: { cert: 'c', key: 'k' },
    });
    expect(loadConfig({}, {}).config.nats.url).toBeUndefined();
  });

  test('the file may be named by the environment', () => {
    const file = fileWith({ port: 4321 });
    const report = loadConfig({}, { INFOLD_CONFIG: file });
    expect(report.config.port).toBe(4321);
    expect(report.file).toBe(resolve(file));
  });

  test('a relative data folder becomes an absolute one', () => {
    expect(loadConfig({ data: 'somewhere' }, {}).config.data).toBe(resolve('somewhere'));
  });

  test('an empty variable counts as not set', () => {
    const { config, origins } = loadConfig({}, { INFOLD_PORT: '', INFOLD_LIMITS_LOCK_WAIT: '' });
    expect(config.port).toBe(9090);
    expect(config.limits.lockWait).toBe(LIMITS.lockWait);
    expect(origins.port).toBe('default');
  });

  test('lists, booleans and objects can be given by the environment', () => {
    const { config } = loadConfig(
      {},
      {
        INFOLD_TOOLSETS: 'fold, memory',
        INFOLD_ALLOWED_HOSTS: 'a.example,b.example',
        INFOLD_HARD_LIMIT: 'true',
        INFOLD_SOURCES: '{"activity":{"type":"csv","path":"a.csv"}}',
        INFOLD_TOOL_NAMES: 'portable',
      },
    );
    expect(config.toolsets).toEqual(['fold', 'memory']);
    expect(config.allowedHosts).toEqual(['a.example', 'b.example']);
    expect(config.hardLimit).toBe(true);
    expect(config.sources.activity).toEqual({ type: 'csv', path: 'a.csv' });
    expect(config.toolNames).toBe('portable');
  });

  test('the order of packs by use is on, and off where the file or the environment says so', () => {
    const ofFile = (memory: unknown) => loadConfig({ config: fileWith({ memory }) }, {});
    expect(loadConfig({}, {}).config.memory).toEqual({ rankByUse: true });
    const { config, origins } = ofFile({ rankByUse: false });
    expect([config.memory, origins['memory.rankByUse']]).toEqual([{ rankByUse: false }, 'file']);
    expect(loadConfig({}, { INFOLD_MEMORY_RANK_BY_USE: 'false' }).config.memory).toEqual({
      rankByUse: false,
    });
    expect(() => ofFile({ rankByUse: 'no' })).toThrow('memory.rankByUse');
    expect(() => ofFile({ rank: true })).toThrow('rank');
  });
});

describe('a model of embeddings', () => {
  test('is a folder beside the file that names it, and its key can stay out of the file', () => {
    const beside = fileWith({ embeddings: { path: 'models/small' } });
    const path = join(dirname(beside), 'models/small');
    expect(loadConfig({ config: beside }, {}).config.embeddings).toEqual({ path });
    const config = fileWith({ embeddings: { url: 'https://models.example/v1', model: 'small' } });
    const environment = { INFOLD_EMBEDDINGS_KEY: '123', INFOLD_EMBEDDINGS_DIMENSIONS: '512' };
    const { config: both, origins } = loadConfig({ config }, environment);
    expect(both.embeddings).toEqual({
      ...{ url: 'https://models.example/v1', model: 'small' },
      ...{ key: '123', dimensions: 512 },
    });
    expect(origins.embeddings).toBe('environment');
  });
});

describe('values that cannot be used', () => {
  test.each([
    ['a key that does not exist', { prot: 1 }, /prot/],
    ['a port that is text', { port: '9090' }, /"port"/],
    ['a port out of range', { port: 70000 }, /"port"/],
    ['an unknown door', { toolsets: ['fold', 'windows'] }, /"toolsets\.1".*fold/],
    ['an unknown spelling', { toolNames: 'camel' }, /"toolNames".*seed/],
    ['a limit of nothing', { limits: { requestBytes: 0 } }, /"limits\.requestBytes"/],
    ['a limit that does not exist', { limits: { bytes: 5 } }, /limits.*bytes|bytes.*limits/],
    ['not an object', [1, 2], /object/],
    ['a rule of the window that does not exist', { window: { rules: { old: true } } }, /window\.rules/],
    [
      'an upstream that says no dialect',
      { window: { upstreams: { ours: { url: 'http://a' } } } },
      /"window\.upstreams\.ours\.dialect".*anthropic, openai, gemini/,
    ],
    [
      'an upstream with a key in it',
      { window: { upstreams: { openai: { url: 'https://me:key@api.example' } } } },
      /"window\.upstreams\.openai\.url"/,
    ],
    [
      'an address that is not one of NATS',
      { nats: { url: 'http://a:4222' } },
      /"nats\.url".*nats:\/\/host:4222/,
    ],
    ['no address', { nats: { url: ' , ' } }, /"nats\.url"/],
    ['users that differ', { nats: { url: 'nats://a:1@h,nats://a:2@h' } }, /"nats\.url".*same user/],
    ['a certificate without its key', { nats: { tls: { cert: 'a' } } }, /"nats\.tls".*needs its key/],
    ['an even number of replicas', { nats: { replicas: 2 } }, /"nats\.replicas".*1, 3 or 5/],
    ['an upstream name that is no part of an address', { window: { upstreams: { 'a/b': {} } } }, /upstreams/],
  ])('%s in a file: named with the file', async (_what, content, message) => {
    const file = fileWith(content);
    const error = await errorOf(() => loadConfig({ config: file }, {}));
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(file);
    expect(error.message).toMatch(message);
  });

  test.each([
    [{ INFOLD_PORT: 'ninety' }, /environment.*"port"/],
    [{ INFOLD_TOOLSETS: 'folds' }, /environment.*"toolsets\.0"/],
    [{ INFOLD_LIMITS_REQUEST_BYTES: 'many' }, /environment.*"limits\.requestBytes"/],
  ])('in the environment: %o', async (environment, message) => {
    expect((await errorOf(() => loadConfig({}, environment))).message).toMatch(message);
  });

  test('two ways to say who connects to NATS, wherever each was said', async () => {
    const file = fileWith({ nats: { creds: 'a' } });
    const both = await errorOf(() => loadConfig({ config: file }, { INFOLD_NATS_NKEY: 'b' }));
    expect(both).toMatchObject({ code: 'invalid_arguments' });
    expect(both.message).toContain('nats.creds and nats.nkey');
    const user = await errorOf(() => loadConfig({ config: file, nats: { url: 'nats://ada:word@h' } }, {}));
    expect(user.message).toContain('nats.creds and a user in nats.url');
  });

  test('a password in an address of NATS is in no error', async () => {
    const word = ['pass', 'word'].join('-');
    for (const url of [
      `http://ada:${word}@h`,
      `nats://ada:${word}@h/path`,
      `nats://a:${word}@h,nats://b:${word}@h`,
    ]) {
      const error = await errorOf(() => loadConfig({}, { INFOLD_NATS_URL: url }));
      expect(error.message).toMatch(/environment.*"nats\.url"/);
      expect(error.message).not.toContain(word);
    }
  });

  test('on the command line', async () => {
    const error = await errorOf(() => loadConfig({ toolsets: ['doors' as 'fold'] }, {}));
    expect(error.message).toMatch(/command line.*"toolsets\.0"/);
  });

  test('a file that was asked for and is not there', async () => {
    const missing = join(temporaryFolder(), 'none.json');
    expect((await errorOf(() => loadConfig({ config: missing }, {}))).message).toContain(missing);
    expect((await errorOf(() => loadConfig({}, { INFOLD_CONFIG: missing }))).message).toContain(missing);
  });

  test('a file that is not JSON, or is a folder', async () => {
    const broken = fileWith('{ port: 9090 }');
    expect((await errorOf(() => loadConfig({ config: broken }, {}))).message).toContain(broken);
    const folder = join(temporaryFolder(), 'infold.config.json');
    mkdirSync(folder);
    expect((await errorOf(() => loadConfig({ config: folder }, {}))).message).toContain(folder);
  });
});

test('the name of a variable follows from the key', () => {
  expect(environmentName('contextLimit')).toBe('INFOLD_CONTEXT_LIMIT');
  expect(environmentName('data')).toBe('INFOLD_DATA');
  expect(environmentName('limits.requestBytes')).toBe('INFOLD_LIMITS_REQUEST_BYTES');
});

test('addresses of NATS are shown without users, passwords and tokens', () => {
  expect(maskedAddresses('nats://ada:a@b@h:4222, tls://token@[::1]:4222,nats://plain')).toBe(
    'nats://***@h:4222,tls://***@[::1]:4222,nats://plain',
  );
});

test('a list loses spaces and empty parts', () => {
  expect(parseList(' fold , ,memory,')).toEqual(['fold', 'memory']);
  expect(parseList('')).toEqual([]);
});
