import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { hubFolder, receivedBy, TestEdge, TestHub } from '../../support/hub.ts';
import { afterThisFile } from '../../support/leftovers.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';
import { Relay } from '../cluster/relay.ts';

const styleOf = (round: number) => `# Style\n\n## Naming\n\n- Whole words, said for the ${round}th time\n`;

/** One address for several nodes, of which one is chosen for each request. */
async function balance(choose: () => TestHub): Promise<{ url: string }> {
  const front = createServer((request, response) => {
    const { url } = choose();
    const headers = { ...request.headers, host: new URL(url).host };
    const passed = send(`${url}${request.url}`, { method: request.method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => request.socket.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  afterThisFile(() => {
    front.closeAllConnections();
    front.close();
  });
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}` };
}

describe.skipIf(natsServer === undefined)(`a hub of several nodes ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  beforeAll(async () => {
    nats = await startNats({ isRelayed: true });
  });
  afterAll(() => nats.stop());

  test('is one hub to its edges, whichever node they ask, and however far behind that is', async () => {
    verifies('LIB-18', 'CLU-03');
    const startNode = (url: string) => TestHub.start(hubFolder(), 0, { nats: { url } });
    const relay = await Relay.start([nats.url], 150);
    afterThisFile(() => relay.stop());
    const nodes = [await startNode(nats.url), await startNode(relay.urls[0]!)];
    await nodes[0]!.publish('shop', { 'coding/STYLE.md': styleOf(0) });
    const { token } = await nodes[0]!.token('alice');
    await nodes[1]!.services.journal.reached(nodes[0]!.services.journal.head().seq);
    const edge = await TestEdge.open();
    let [round, requests] = [0, 0];
    // At first each round is another node's, then each request.
    const choose = () => nodes[(round <= 4 ? round : requests++) % nodes.length]!;
    await edge.join(await balance(choose), token);
    for (round = 1; round <= 8; round++) {
      const agent = await edge.agent(`session-${round}`);
      await agent.loadAll();
      await nodes[0]!.publish('shop', { 'coding/STYLE.md': styleOf(round) });
      const synced = await edge.edge.sync();
      expect(synced, `round ${round}`).toMatchObject({ restored: false });
      expect(synced.sent, `round ${round}`).toBeGreaterThan(0);
    }
    await edge.edge.sync();
    const last = await edge.agent('last');
    expect((await last.loadAll()).get('coding/STYLE.md')).toContain('for the 8th time');
    await edge.edge.sync();
    const own = edge.services.journal
      .entriesAfter(0, Number.MAX_SAFE_INTEGER)
      .filter(({ events }) => events.some(({ type }) => type.startsWith('attest.')))
      .map(({ id }) => id);
    for (const node of nodes) {
      await expect.poll(() => receivedBy(node).map(({ id }) => id)).toEqual(own);
      expect((await node.services.journal.verifyTables()).different).toEqual([]);
    }
    for (const node of nodes) await node.stop();
  });
});
