import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';
import { callTool, connectHttp, post, startServer } from '../support/program.ts';
import { EVERY_DOOR, SAMPLE_PROJECT } from '../support/sample-calls.ts';

const PATIENCE = 60_000;
const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const told = (place: string) => `the ${place} deploys with ${SECRET} on Fridays`;

/** Everything that JetStream holds, in whichever stream: entries, buckets and objects. */
async function everythingIn(url: string): Promise<Map<string, string[]>> {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  const stored = new Map<string, string[]>();
  for await (const { config, state } of manager.streams.list()) {
    const texts: string[] = [];
    stored.set(config.name, texts);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null);
      if (message) texts.push(`${message.subject} ${[...(message.header ?? [])]} ${message.string()}`);
    }
  }
  await connection.close();
  return stored;
}

async function placesIn(url: string, places: string[]): Promise<string[]> {
  const texts = [...(await everythingIn(url)).values()].flat();
  return places.filter((place) => texts.some((text) => text.includes(`the ${place} deploys with`)));
}

describe.skipIf(natsServer === undefined)(`secrets and a cluster ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats?.stop());

  test(
    'what was said to any door is kept in NATS without its secrets',
    async () => {
      verifies('KERN-12');
      const server = await startServer({
        args: ['--nats', nats.url, ...EVERY_DOOR],
        env: { INFOLD_LIMITS_INLINE_ENTRY_BYTES: '4096' },
      });
      const client = await connectHttp(`${server.url}/mcp`, '2025');
      const branch = await callTool(client, 'context_branch', {
        description: 'Look at deployments',
        project_path: SAMPLE_PROJECT,
        prompt: told('branch'),
      });
      expect(branch.isError, branch.content[0]?.text).toBeFalsy();
      const folding = { project_path: SAMPLE_PROJECT, message: told('summary') };
      const folded = await callTool(client, 'context_return', folding);
      expect(folded.isError, folded.content[0]?.text).toBeFalsy();
      const item = { kind: 'decision', title: 'Deployments', content: told('item'), project: SAMPLE_PROJECT };
      expect((await callTool(client, 'remember', item)).isError).toBeFalsy();
      const large = { ...item, title: 'Logs', content: `${told('blob')} ${'and so on '.repeat(2000)}` };
      expect((await callTool(client, 'remember', large)).isError).toBeFalsy();
      const sent = await callTool(client, 'pod_send', { pod: 'ops', kind: 'chat', text: told('pod') });
      expect(sent.isError).toBeFalsy();
      expect((await post(`${server.url}/api/memory/items`, { ...item, content: told('route') })).status).toBe(
        201,
      );
      const places = ['branch', 'summary', 'item', 'blob', 'pod', 'route'];
      await expect
        .poll(() => placesIn(nats.url, places), { timeout: PATIENCE / 2, interval: 500 })
        .toEqual(places);
      await server.stop();
      const stored = await everythingIn(nats.url);
      expect([...stored.keys()]).toEqual(expect.arrayContaining(['INFOLD', 'OBJ_infold_objects']));
      for (const [stream, texts] of stored) {
        expect(
          texts.filter((text) => text.includes(SECRET)),
          stream,
        ).toEqual([]);
      }
    },
    PATIENCE,
  );
});
