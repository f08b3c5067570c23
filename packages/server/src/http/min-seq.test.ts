import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer, startNats } from '../../../../test/support/nats.ts';
import { createServices } from '../cli/services/create.ts';
import { PROJECTIONS } from '../cli/services/projections.ts';
import type { Services } from '../cli/services/services.ts';
import { Agent, startServer } from '../fold/fixture.suite.ts';
import { NatsJournal } from '../journal/nats.ts';
import { movableClock, temporaryFolder, testConfig } from '../testing/fixtures.suite.ts';
import { createHttpApp } from './app.ts';
import { Metrics } from './metrics.ts';

const HEADERS = { host: 'localhost:9090', accept: 'application/json', 'content-type': 'application/json' };

function serve(services: Services) {
  const app = createHttpApp({ ...services, metrics: new Metrics(services.journal), ready: () => true });
  onTestFinished(() => app.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.fetch(new Request(`http://localhost:9090${path}`, { headers: { ...HEADERS, ...headers } }));
  const call = async (name: string, input: object, meta: object = {}) => {
    const params = { name, arguments: input, _meta: meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const request = new Request('http://localhost:9090/mcp', { method: 'POST', body, headers: HEADERS });
    const response = await app.fetch(request);
    const { result } = (await response.json()) as {
      result: { structuredContent: Record<string, unknown>; _meta?: Record<string, unknown> };
    };
    return { seq: Number(response.headers.get('x-infold-seq')), ...result };
  };
  return { get, call };
}

describe('how far a caller has seen', () => {
  test('is told with every answer, over MCP and HTTP', async () => {
    const { services, agent } = await startServer();
    const { get, call } = serve(services);
    const { session_id } = await agent.branch('a');
    const head = services.journal.head().seq;
    expect((await get('/api/sessions')).headers.get('x-infold-seq')).toBe(String(head));
    expect((await get('/api/sessions/none')).headers.get('x-infold-seq')).toBe(String(head));
    const answer = await call('context_list_branches', { session_id, project_path: '/a' });
    expect(answer).toMatchObject({ seq: head, _meta: { 'infold/seq': head } });
  });

  test('is waited for, wherever the caller says it', async () => {
    const { services, agent } = await startServer();
    const { get, call } = serve(services);
    const { session_id } = await agent.branch('first');
    const { journal } = services;
    const input = { session_id, project_path: '/a' };
    const asks: ((seq: number) => Promise<unknown>)[] = [
      async (seq) => (await get(`/api/sessions/${session_id}/branches?min_seq=${seq}`)).json(),
      async (seq) =>
        (await get(`/api/sessions/${session_id}/branches`, { 'x-infold-min-seq': String(seq) })).json(),
      async (seq) =>
        (await call('context_list_branches', input, { 'infold/min_seq': seq })).structuredContent,
      async (seq) => (await call('context_list_branches', { ...input, min_seq: seq })).structuredContent,
    ];
    for (const [place, ask] of asks.entries()) {
      let isAnswered = false;
      const answer = ask(journal.head().seq + 1).finally(() => {
        isAnswered = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(isAnswered).toBe(false);
      await agent.branch(`branch ${place}`);
      const { branches, notices } = (await answer) as { branches: object[]; notices?: string[] };
      expect(branches).toContainEqual(expect.objectContaining({ description: `branch ${place}` }));
      expect(notices).toBeUndefined();
    }
  });

  test('must be a position', async () => {
    const { services } = await startServer();
    const { get, call } = serve(services);
    for (const bad of ['soon', '-1', '1.5', '']) {
      const response = await get('/api/sessions', { 'x-infold-min-seq': bad });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'invalid_arguments' });
    }
    for (const bad of ['soon', -1, 1.5, null, {}]) {
      const { structuredContent } = await call('infold_status', {}, { 'infold/min_seq': bad });
      if (bad !== null) expect(structuredContent).toMatchObject({ code: 'invalid_arguments' });
      expect((await call('infold_status', { min_seq: bad })).structuredContent).toMatchObject({
        code: 'invalid_arguments',
      });
    }
  });

  test.skipIf(natsServer === undefined)(
    `what was written at one node is read at another ${NEEDS_NATS}`,
    async () => {
      verifies('CLU-03');
      const nats = await startNats();
      onTestFinished(() => nats.stop());
      const startNode = async () => {
        const config = testConfig({ data: temporaryFolder() });
        const connection = await connect({ servers: nats.url });
        const place = { folder: config.data, projections: PROJECTIONS, limits: config.limits };
        const journal = await NatsJournal.open({ ...place, connection });
        const services = createServices(config, journal, 'silent', movableClock().read);
        onTestFinished(async () => {
          await services.settle();
          await journal.close();
        });
        return { ...serve(services), agent: new Agent(services) };
      };
      const [one, other] = [await startNode(), await startNode()];
      const { session_id } = await one.agent.branch('begins');
      for (let round = 0; round < 50; round++) {
        const description = `round ${round}`;
        const written = await one.call('context_branch', {
          ...{ session_id, project_path: '/work-of/alice', description, prompt: 'p' },
        });
        await one.agent.fold('done');
        const path = `/api/sessions/${session_id}/branches`;
        const response = await other.get(path, { 'x-infold-min-seq': String(written.seq) });
        const { branches } = (await response.json()) as { branches: { description: string }[] };
        expect(branches.map((branch) => branch.description)).toContain(description);
        expect(Number(response.headers.get('x-infold-seq'))).toBeGreaterThanOrEqual(written.seq);
      }
    },
  );
});
