import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectPod, type WebSocketConstructor } from '../../../packages/client/src/gateway/index.ts';
import { run, type Server, startServer, temporaryFolder, until } from '../../e2e/support/program.ts';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';
import { LONG } from '../../support/runs.ts';
import { PATIENCE, pause } from '../support.ts';

const rounds = Array.from({ length: LONG ? 20 : 2 }, (_, index) => index + 1);

describe.skipIf(natsServer === undefined)(`a pod on two nodes ${NEEDS_NATS}`, () => {
  const folders = [temporaryFolder(), temporaryFolder()];
  let nats: TestNats;
  let nodes: Server[];
  const startNode = (data: string) => startServer({ data, args: ['--nats', nats.url] });
  beforeAll(async () => {
    nats = await startNats();
    nodes = await Promise.all(folders.map(startNode));
  }, 120_000);
  afterAll(async () => {
    for (const node of nodes) node.process.kill('SIGKILL');
    await nats.stop();
  });

  const join = (node: Server, pod: string, participant: string) =>
    connectPod({
      ...{ url: node.url, pod, participant, reconnect: false },
      WebSocket: WebSocket as unknown as WebSocketConstructor,
    });

  test.each(rounds)(
    'whose owner is killed while both speak goes on: nothing acknowledged is lost, no position is given twice (round %d)',
    async (round) => {
      verifies('CLU-05', 'CLU-02');
      const pod = `pod-${round}`;
      // Who opens it first owns it.
      const dying = await join(nodes[0]!, pod, 'dying');
      const acknowledged = new Map<number, string>();
      const say = async (member: typeof dying, text: string) => {
        const { id, seq } = await member.send('thought', { text });
        expect(acknowledged.has(seq!), `position ${seq} twice`).toBe(false);
        acknowledged.set(seq!, id);
      };
      await say(dying, 'first');
      const staying = await join(nodes[1]!, pod, 'staying');
      await say(staying, 'second');

      let isOver = false;
      let after = 0;
      const speaking = [
        (async () => {
          for (let count = 0; !isOver; count++) await say(dying, `dying ${count}`).catch(() => pause(20));
        })(),
        (async () => {
          for (let count = 0; !isOver; count++) {
            await say(staying, `staying ${count}`).then(
              () => after++,
              () => pause(20),
            );
          }
        })(),
      ];
      await until(() => acknowledged.size > 30, 60_000);
      nodes[0]!.process.kill('SIGKILL');
      await nodes[0]!.ended;
      const killed = performance.now();
      after = 0;
      await until(() => after > 10, 60_000);
      console.info(
        `a message was stored ${Math.round(performance.now() - killed)} ms after the owner's death, and ten more`,
      );
      isOver = true;
      await Promise.all(speaking);
      staying.close();

      nodes[0] = await startNode(folders[0]!);
      const stored = await Promise.all(folders.map((data) => historyOf(data, pod)));
      expect(stored[1]).toEqual(stored[0]);
      const byPosition = new Map(stored[0]!.map(({ seq, envelope }) => [seq, envelope.id]));
      expect(byPosition.size).toBe(stored[0]!.length);
      for (const [seq, id] of acknowledged) expect([seq, byPosition.get(seq)]).toEqual([seq, id]);
      const ids = stored[0]!.map(({ envelope }) => envelope.id);
      expect(new Set(ids).size).toBe(ids.length);
    },
    PATIENCE,
  );

  async function historyOf(data: string, pod: string) {
    const { stdout } = await run(
      ['pod', 'replay', pod, '--since', '0', '--limit', '1000', '--data', data, '--json'],
      { env: { INFOLD_NATS_URL: nats.url } },
    );
    return (JSON.parse(stdout) as { messages: { seq: number; envelope: { id: string } }[] }).messages;
  }
});
