import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Envelope, PresencePayload } from '@infold/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer } from '../support/gateway.ts';
import { type Server, startServer } from '../support/program.ts';

const HEARTBEAT = 500;
/** Longer than any peer can live without a sign of life. */
const SEVERAL_BEATS = 6 * HEARTBEAT;

let server: Server;
let names = 0;
const podName = () => `pod-${++names}`;

beforeAll(async () => {
  server = await startServer({ env: { INFOLD_LIMITS_HEARTBEAT: String(HEARTBEAT) } });
});

/** When each ping arrived. */
function pingsOf({ socket }: Peer): number[] {
  const times: number[] = [];
  socket.on('ping', () => times.push(performance.now()));
  return times;
}

const join = (pod: string, participant: string) => Peer.join(server.url, { pod, participant });
/** Joins right after a beat, hears pings, and keeps that to itself. */
async function joinSilently(pod: string, participant: string, other: Peer): Promise<Peer> {
  await once(other.socket, 'ping');
  return Peer.join(server.url, { pod, participant }, { autoPong: false });
}

const presence = (event: PresencePayload['event'], participant: string) => (frame: Envelope) => {
  const payload = frame.payload as PresencePayload;
  return (
    frame.kind === 'system/presence' && payload.event === event && payload.participant.id === participant
  );
};
const leavesSeenBy = ({ frames }: Peer) =>
  frames
    .filter(({ kind }) => kind === 'system/presence')
    .map(({ payload }) => payload as PresencePayload)
    .filter(({ event }) => event === 'leave')
    .map(({ participant }) => participant.id);

const connected = async (pod: string) => {
  const response = await fetch(`${server.url}/api/pods/${pod}/participants`);
  const { participants } = (await response.json()) as { participants: { id: string }[] };
  return participants.map(({ id }) => id).sort();
};

describe.concurrent('a heartbeat', () => {
  test('is as often as it is set, and who answers it stays', async () => {
    const alice = await join(podName(), 'alice');
    const pings = pingsOf(alice);
    await wait(SEVERAL_BEATS);
    expect(pings.length).toBeGreaterThan(3);
    const pause = (pings.at(-1)! - pings[0]!) / (pings.length - 1);
    expect(pause).toBeGreaterThan(HEARTBEAT / 2);
    expect(pause).toBeLessThan(HEARTBEAT * 2);
    await alice.settled();
  });

  test('ends a connection that gives no sign of life until the next, and the others see it leave', async () => {
    verifies('SUB-07');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const silent = await joinSilently(pod, 'silent', alice);
    const pings = pingsOf(silent);
    await alice.next(presence('join', 'silent'));
    // 1006: nobody says goodbye to who seems to be gone.
    expect((await silent.closed).code).toBe(1006);
    expect(pings).toHaveLength(1);
    expect(performance.now() - pings[0]!).toBeGreaterThan(HEARTBEAT / 2);
    await alice.next(presence('leave', 'silent'));
    await wait(SEVERAL_BEATS);
    expect(leavesSeenBy(alice)).toEqual(['silent']);
    expect(await connected(pod)).toEqual(['alice']);
    await alice.settled();
  });

  test('takes anything that is sent for a sign of life', async () => {
    const pod = podName();
    const alice = await join(pod, 'alice');
    const talker = await joinSilently(pod, 'talker', alice);
    const pings = pingsOf(talker);
    const stop = performance.now() + SEVERAL_BEATS;
    let sent = 0;
    while (performance.now() < stop) {
      talker.send({ id: `m-${++sent}`, kind: 'chat', payload: {} });
      await wait(HEARTBEAT / 5);
    }
    await alice.message(`m-${sent}`);
    expect(pings.length).toBeGreaterThan(3);
    expect(leavesSeenBy(alice)).toEqual([]);
    // Once it has nothing more to say, it is as silent as any other.
    expect((await talker.closed).code).toBe(1006);
  });

  test('lets who was cut off come back and go on', async () => {
    verifies('SUB-09');
    const pod = podName();
    const alice = await join(pod, 'alice');
    const silent = await joinSilently(pod, 'silent', alice);
    alice.send({ id: 'before', kind: 'chat', payload: {} });
    const { seq, epoch } = await silent.message('before');
    await silent.closed;
    alice.send({ id: 'meanwhile', kind: 'chat', payload: {} });
    await alice.message('meanwhile');
    const back = await Peer.join(server.url, {
      pod,
      participant: 'silent',
      since: String(seq),
      epoch: epoch!,
    });
    await back.message('meanwhile');
    expect([...silent.ids, ...back.ids]).toEqual(['before', 'meanwhile']);
    expect(back.frames.some(({ kind }) => kind === 'system/gap')).toBe(false);
  });
});
