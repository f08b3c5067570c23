import type { Envelope, GapPayload } from '@infold/protocol';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectPod, type WebSocketConstructor } from '../../packages/client/src/gateway/index.ts';
import {
  callTool,
  connectStdio,
  runJson,
  type Server,
  type StdioHost,
  startServer,
  temporaryFolder,
  until,
} from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { PATIENCE, pause, ROUNDS, randomOf } from './support.ts';

const POD_TOOLS = ['--toolsets', 'fold,gateway'];
const join = (url: string, participant: string, more: object = {}) =>
  connectPod({
    ...{ url, pod: 'p', participant, reconnect: false, ...more },
    WebSocket: WebSocket as unknown as WebSocketConstructor,
  });

interface Stored {
  seq: number;
  epoch: string;
  envelope: { id: string };
}

async function historyOf(data: string): Promise<Stored[]> {
  const all: Stored[] = [];
  for (;;) {
    const since = String(all.at(-1)?.seq ?? 0);
    const asked = ['pod', 'replay', 'p', '--since', since, '--limit', '1000'];
    const { messages, next } = await runJson<{ messages: Stored[]; next: number | null }>(data, ...asked);
    all.push(...messages);
    if (next === null) return all;
  }
}

test('what a pod acknowledged is there after a kill, and the first message is stored as fast as any', {
  timeout: PATIENCE,
}, async () => {
  verifies('KERN-01', 'SUB-09');
  const data = temporaryFolder();
  const acknowledged: { id: string; seq: number }[] = [];
  const times: { first: number[]; later: number[] } = { first: [], later: [] };
  for (let life = 0; life < Math.max(6, ROUNDS); life++) {
    const server = await startServer({ data });
    const alice = await join(server.url, 'alice');
    for (let index = 0; index <= life % 3; index++) {
      const started = performance.now();
      const context = { id: `c-${life}`, type: 'reasoning' };
      const { id, seq } = await alice.send('reflection', { thought: `number ${life}` }, { context });
      times[index === 0 ? 'first' : 'later'].push(performance.now() - started);
      acknowledged.push({ id, seq: seq! });
    }
    server.process.kill('SIGKILL');
    await server.ended;
  }
  const history = new Map((await historyOf(data)).map(({ seq, envelope }) => [seq, envelope.id]));
  for (const { id, seq } of acknowledged) expect(history.get(seq)).toBe(id);
  const median = (list: number[]) => list.sort((one, other) => one - other)[list.length >> 1]!;
  expect(median(times.first)).toBeLessThan(3 * median(times.later) + 60);
});

const PROCESSES = 12;
/** How many are sent from one death to the next: a few by each, and the death falls in the midst of them. */
const RATION = 24;
const MESSAGES = RATION * (ROUNDS + 1);

/**
 * One that serves and eleven that speak over MCP, all on one folder; any of them may be killed, and comes back. The model:
 * a message that was acknowledged stands once, at the position that was told; one that was refused stands nowhere; and who
 * listens, and comes back after each death of the server, has heard what stands there.
 */
test(
  'twelve processes, random deaths: each message once, at one position, with one answer',
  async () => {
    verifies('KERN-02', 'SUB-09');
    const random = randomOf(Number(process.env.INFOLD_SEED ?? 7));
    const data = temporaryFolder();
    let server: Server = await startServer({ data });
    const acknowledged = new Map<string, number>();
    const refused: { id: string; code: string; reason: string }[] = [];
    const heard = new Map<number, { id: string; epoch: string }>();
    const frames: Envelope[] = [];
    let place: { seq: number; epoch: string | undefined } | undefined;

    const listen = async () => {
      const listener = await join(server.url, 'listener', { since: place?.seq ?? 0, epoch: place?.epoch });
      listener.on('message', (message) => {
        frames.push(message);
        heard.set(message.seq!, { id: message.id, epoch: message.epoch! });
        place = listener.position;
      });
      listener.on('gap', ({ from }: GapPayload) => {
        // Positions from here on were heard in vain, or are not there any more.
        for (const seq of heard.keys()) if (seq >= from) heard.delete(seq);
        place = listener.position;
      });
      return listener;
    };
    await listen();

    const speakers: (StdioHost | undefined)[] = await Promise.all(
      Array.from({ length: PROCESSES - 1 }, () => connectStdio('2026', data, POD_TOOLS)),
    );
    let sent = 0;
    let deaths = 0;
    const speak = async (index: number) => {
      while (sent < MESSAGES) {
        await until(() => sent < RATION * (deaths + 1), PATIENCE);
        const number = ++sent;
        const context = number % 3 === 0 ? { context: { id: `c-${number % 5}` } } : {};
        const message = { pod: 'p', id: `m-${number}`, text: `number ${number}`, ...context };
        try {
          const speaker = speakers[index]!;
          const { structuredContent: answer } = await callTool(speaker.client, 'pod_send', message);
          if (typeof answer.seq === 'number' && answer.code === undefined) {
            acknowledged.set(message.id, answer.seq);
          } else refused.push({ id: message.id, code: String(answer.code), reason: String(answer.reason) });
        } catch {
          // Killed while it spoke: what became of the message is not known, but it stands at most once.
          speakers[index] = await connectStdio('2026', data, POD_TOOLS);
        }
        await pause(random(20));
      }
    };
    const speaking = Promise.all(speakers.map((_, index) => speak(index)));
    const dead = new Set<number>();
    const endOneOf = (living: number[]) => {
      const pid = living[random(living.length)]!;
      dead.add(pid);
      process.kill(pid, 'SIGKILL');
    };
    const dying = (async () => {
      for (; deaths < ROUNDS; deaths++) {
        await until(() => sent >= RATION * deaths + RATION / 2, PATIENCE);
        if (deaths % 2 === 0) {
          server.process.kill('SIGKILL');
          await server.ended;
          await pause(random(400));
          server = await startServer({ data });
          await listen();
        } else endOneOf(speakers.map((speaker) => speaker!.pid).filter((pid) => !dead.has(pid)));
      }
    })();
    await Promise.all([speaking, dying]);

    const history = await historyOf(data);
    const ids = history.map(({ envelope }) => envelope.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(history.map(({ seq }) => seq)).toEqual(history.map((_, index) => index + 1));
    expect(refused).toEqual([]);
    const stands = new Map(history.map(({ seq, envelope }) => [envelope.id, seq]));
    for (const [id, seq] of acknowledged) expect([id, stands.get(id)]).toEqual([id, seq]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(MESSAGES - ROUNDS);
    await until(() => heard.size >= history.length, 60_000);
    for (const { seq, epoch, envelope } of history)
      expect(heard.get(seq)).toEqual({ id: envelope.id, epoch });
    // No position was ever heard with two messages in one life of the pod.
    const lives = new Map<string, string>();
    for (const { id, seq, epoch } of frames) {
      const at = `${epoch} ${seq}`;
      expect(lives.get(at) ?? id).toBe(id);
      lives.set(at, id);
    }
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true });
  },
  PATIENCE,
);
