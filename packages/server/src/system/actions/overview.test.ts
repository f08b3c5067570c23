import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callsOf } from '../../cli/services/calls.ts';
import { createHttpApp } from '../../http/app.ts';
import { Metrics } from '../../http/metrics.ts';
import { natsDefaults } from '../../kernel/nats-config.ts';
import { callTool } from '../../mcp/tools/call.ts';
import { toolListCost } from '../../mcp/tools/list-cost.ts';
import {
  callerNamed,
  callOf,
  errorOf,
  HOUR,
  movableClock,
  noteTool,
  TEST_DATA,
  testConfig,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../../trust/identity/caller.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import { listConnections } from './list-connections.ts';
import { listTools } from './list-tools.ts';
import { readConfig } from './read-config.ts';

async function setUp(more: Partial<ReturnType<typeof testConfig>> = {}) {
  const clock = movableClock();
  const services = await testServices({ clock, tools: [noteTool], config: testConfig(more) });
  services.observer = services.parts.calls;
  onTestFinished(() => services.settle());
  return { ...services, time: clock, as: (caller: Caller) => callsOf(services, caller) };
}

const client = { name: 'claude-code', version: '2.1' };
const ann = callerNamed('ann', { org: 'acme', tokenId: 'tok_a', scopes: ['read', 'write'] });
const ben = callerNamed('ben', { org: 'acme', tokenId: 'tok_b', scopes: ['read', 'write'] });
const head = callerNamed('head', { org: 'acme', tokenId: 'tok_h', scopes: ['read', 'admin'] });
const other = callerNamed('other', { org: 'else', tokenId: 'tok_o', scopes: ['read', 'admin'] });

describe('the configuration in effect', () => {
  const secret = ['sk', 'abcdefghijklmnop'].join('-');

  test('tells what set each value, and veils what may hold a secret', async () => {
    const { as } = await setUp({
      embeddings: { url: 'https://models.example', model: 'small', key: secret },
      nats: { ...natsDefaults(), url: `nats://ada:${secret}@h:4222`, creds: join(TEST_DATA, 'a.creds') },
    });
    const { file, values } = await as(localOwner)(readConfig, {});
    expect(file).toBeNull();
    expect(values.data).toEqual({ value: TEST_DATA, origin: 'default', environment: 'INFOLD_DATA' });
    expect(values.embeddings?.value).toEqual(['url', 'model', 'key']);
    expect(values['limits.requestBytes']?.environment).toBe('INFOLD_LIMITS_REQUEST_BYTES');
    expect(JSON.stringify(values)).not.toContain(secret);
    expect(values['nats.url']).toMatchObject({ value: 'nats://***@h:4222', environment: 'INFOLD_NATS_URL' });
    expect(values['nats.creds']!.value).toBe(join(TEST_DATA, 'a.creds'));
    const { values: toOthers } = await as(head)(readConfig, {});
    expect(toOthers['nats.creds']!.value).toBe('the data folder');
  });

  test('is for who may administer, and says where things lie to the owner of the machine alone', async () => {
    verifies('CON-06');
    const { as } = await setUp();
    expect((await errorOf(() => as(ann)(readConfig, {}))).code).toBe('forbidden');
    expect(JSON.stringify(await as(head)(readConfig, {}))).not.toContain(TEST_DATA);
  });
});

describe('the tools', () => {
  test('are listed with what each costs a model to know, and how they were used', async () => {
    const services = await setUp();
    const before = await services.as(ann)(listTools, {});
    const list = services.registry.list('portable');
    expect(before.tokens).toBe(toolListCost(list).all);
    expect(before.tools.map(({ name, door }) => [name, door])).toEqual([
      ['infold_status', 'system'],
      ['memory.note', 'memory'],
    ]);
    for (const tool of before.tools) {
      expect(tool).toMatchObject({ calls: 0, errors: 0, seconds: null });
      expect(tool.tokens).toBeGreaterThan(20);
    }
    for (const input of [{ text: 'a' }, { text: 'b' }, {}])
      await callTool(services, callOf('memory.note', input));
    const { tools } = await services.as(ann)(listTools, {});
    const note = tools.find(({ name }) => name === 'memory.note')!;
    expect(note).toMatchObject({ calls: 3, errors: 1 });
    expect(note.seconds!.median).toBeGreaterThan(0);
    expect(note.seconds!.p95).toBeGreaterThanOrEqual(note.seconds!.median);
  });

  test('are not called by who asks the API for the same', async () => {
    const services = await setUp();
    const metrics = new Metrics(services.journal, undefined, undefined, services.parts.calls);
    services.observer = metrics;
    const app = createHttpApp({ ...services, metrics, ready: () => true });
    onTestFinished(() => app.close());
    const callsOfStatus = async () =>
      (await services.as(localOwner)(listTools, {})).tools.find(({ name }) => name === 'infold_status')!
        .calls;
    const asked = await app.fetch(
      new Request('http://localhost/api/status', { headers: { host: 'localhost' } }),
    );
    expect(asked.status).toBe(200);
    expect(await callsOfStatus()).toBe(0);
    await callTool(services, callOf('infold_status', {}));
    expect(await callsOfStatus()).toBe(1);
  });
});

describe('connections', () => {
  test('are told once each, by who was heard of last', async () => {
    const services = await setUp();
    const kept = new Connection();
    const note = (more: object) => callTool(services, callOf('memory.note', { text: 'x' }, more));
    await callTool(services, callOf('infold_status', {}, { caller: ann, client, connection: kept }));
    await note({ caller: ann, client, connection: kept });
    services.time.advance(1000);
    // A process of its own on the same folder: only its session is known.
    await note({ caller: ann });
    const { connections } = await services.as(ann)(listConnections, {});
    expect(connections.map(({ kind, name, version }) => ({ kind, name, version }))).toEqual([
      { kind: 'mcp', name: null, version: null },
      { kind: 'mcp', name: 'claude-code', version: '2.1' },
    ]);
    for (const { session_id, principal, is_open } of connections) {
      expect(session_id).toMatch(/^sess_/);
      expect(principal).toBe('ann');
      expect(is_open).toBe(true);
    }
    services.time.advance(HOUR);
    const later = await services.as(ann)(listConnections, {});
    expect(later.connections.map(({ is_open }) => is_open)).toEqual([false, false]);
  });

  test('are one’s own; the organisation’s for who may administer it, and nobody else’s', async () => {
    verifies('CON-06');
    const services = await setUp();
    for (const caller of [ann, ben])
      await callTool(
        services,
        callOf('memory.note', { text: 'x' }, { caller, client, connection: new Connection() }),
      );
    const seenBy = async (caller: Caller) =>
      (await services.as(caller)(listConnections, {})).connections.map(({ principal }) => principal).sort();
    expect(await seenBy(ann)).toEqual(['ann']);
    expect(await seenBy(head)).toEqual(['ann', 'ben']);
    expect(await seenBy(other)).toEqual([]);
    expect(await seenBy(localOwner)).toEqual(['ann', 'ben']);
    expect(await seenBy({ ...head, projects: ['proj_of_nobody'] })).toEqual([]);
  });
});
