import { CLOSE_CODES } from '@infold/protocol';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { Peer } from '../../../../../test/e2e/support/gateway.ts';
import { TestWire } from '../../gateway/fixture.suite.ts';
import { EVERYTHING } from '../../gateway/pod/filter.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { type Probe, type Probes, refusesAbove } from './probe.suite.ts';
import type { Outcome, Served } from './served.suite.ts';

let messages = 0;
const chat = (more: object = {}) => ({ id: `m-${++messages}`, kind: 'chat', payload: {}, ...more });

/** Sends a message, and waits for it or for the error that is the answer to it. */
async function say(peer: Peer, envelope: { id: string }): Promise<Outcome> {
  peer.send(envelope);
  const { id } = envelope;
  const answer = await peer.next((frame) => frame.id === id || frame.correlation_id === id);
  return outcomeOf(answer.id === id ? undefined : (answer.payload as { error: string; message: string }));
}

function outcomeOf(problem: { error: string; message: string } | undefined): Outcome {
  const refusal = problem && { code: problem.error, message: problem.message };
  return { status: 200, data: {}, text: '', notices: [], refusal };
}

/** So many messages, each as `more` says; the answer to the last one. */
const series = (more: (index: number) => object) => async (server: Served, size: number) => {
  const peer = await server.join({ pod: `p-${++messages}` });
  for (let index = 1; index < size; index++) await say(peer, chat(more(index)));
  return say(peer, chat(more(size)));
};

/** The same, where a minute has room for so many: whoever asks again is another pod of the same principal. */
const inOneMinute = (value: number, more: (index: number) => object): Probe => ({
  value,
  async watch(server) {
    const peer = await server.join();
    for (let index = 1; index <= value; index++) {
      expect((await say(peer, chat(more(index)))).refusal).toBeUndefined();
    }
    const { refusal } = await say(peer, chat(more(value + 1)));
    expect(refusal).toMatchObject({
      code: 'rate_limit',
      message: expect.stringContaining(`limit of ${value} `),
    });
  },
});

/** Of ten messages that memory alone keeps, those are there for who comes back that fit. */
const recent = (value: number, kept: (frame: number) => number): Probe => ({
  value,
  settings: { gateway: { history: 'memory' } },
  async watch(server) {
    const peer = await server.join();
    for (let index = 0; index < 10; index++) await say(peer, chat());
    const bytes = Buffer.byteLength(JSON.stringify(peer.said.at(-1)));
    const back = await server.join({ participant: 'bob', since: '0' });
    const gap = await back.next(({ kind }) => kind === 'system/gap');
    expect(gap.payload).toEqual({ from: 1, to: 10 - kept(bytes) });
    await back.message(peer.said.at(-1)!.id);
    expect(back.ids).toHaveLength(kept(bytes));
  },
});

/** Contexts that only memory knows fill so many bytes; no further one begins then. */
const contextsFill = (value: number): Probe => ({
  value,
  settings: { gateway: { history: 'memory' } },
  async watch(server) {
    const peer = await server.join();
    let begun = 0;
    for (let refusal: Outcome['refusal']; !refusal; begun++) {
      ({ refusal } = await say(peer, chat({ context: { id: `c-${begun}` } })));
      if (refusal) expect(refusal).toMatchObject({ code: 'context_limit' });
      expect(server.gateway.contextBytes).toBeLessThan(2 * value);
    }
    expect(begun).toBeGreaterThan(2);
  },
});

const waitingToBeWritten: Probe = {
  value: 1000,
  async watch(server, value) {
    const peer = await server.join();
    // All of them arrive in one turn, before the first could be written.
    const sent = Array.from({ length: 40 }, () => chat());
    for (const envelope of sent) peer.send(envelope);
    const error = await peer.error();
    expect(error).toMatchObject({ error: 'rate_limit', message: expect.stringContaining(String(value)) });
    await peer.settled();
    expect(peer.ids.length).toBeGreaterThan(2);
  },
};

/** One that is not let in is told why when its connection is closed. */
function turnedAway({ url }: Served, query: Record<string, string>): Promise<string> {
  const address = new URLSearchParams({ pod: 'p', ...query });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?${address}`);
  return new Promise((resolve) => socket.once('close', (_code, reason) => resolve(String(reason))));
}

export const gatewayProbes: Probes = {
  envelopeBytes: refusesAbove(300, 'message_size', async (server, size) => {
    const peer = await server.join({ pod: `p-${++messages}` });
    const bare = chat({ payload: '' });
    const room = size - JSON.stringify(bare).length;
    peer.send({ ...bare, payload: 'x'.repeat(room) });
    const answer = await peer.next(({ id, kind }) => id === bare.id || kind === 'system/error');
    return outcomeOf(
      answer.id === bare.id ? undefined : (answer.payload as { error: string; message: string }),
    );
  }),
  contextMetadataBytes: refusesAbove(50, 'metadata_limit', async (server, size) => {
    const metadata = { a: 'x'.repeat(size - '{"a":""}'.length) };
    return say(await server.join({ pod: `p-${++messages}` }), chat({ context: { id: 'c', metadata } }));
  }),
  contextDepth: refusesAbove(
    2,
    'depth_limit',
    series((index) => ({
      context: { id: `c-${index}`, ...(index > 1 ? { parent: `c-${index - 1}` } : {}) },
    })),
  ),
  contextsPerParticipant: refusesAbove(
    2,
    'context_limit',
    series((index) => ({ context: { id: `c-${index}` } })),
  ),
  contextsPerMinute: inOneMinute(3, (index) => ({ context: { id: `c-${index}` } })),
  contextEnvelopesPerMinute: inOneMinute(3, () => ({ context: { id: 'c' } })),
  contextBytes: contextsFill(2000),
  contextBytesInAll: contextsFill(2000),
  messageIdBytesInAll: {
    value: 1000,
    settings: { gateway: { history: 'memory' } },
    async watch(server) {
      const peer = await server.join();
      const sent = Array.from({ length: 20 }, () => chat());
      for (const envelope of sent) await say(peer, envelope);
      peer.send(sent.at(-1)!);
      expect(await peer.error()).toMatchObject({ error: 'duplicate_id' });
      // Its id was let go of, so that it can be said again.
      peer.send(sent[0]!);
      await peer.next(() => peer.frames.filter(({ id }) => id === sent[0]!.id).length === 2);
    },
  },
  envelopesPerMinute: inOneMinute(3, () => ({})),
  readerBufferBytes: {
    value: 2000,
    async watch(server) {
      const wire = new TestWire();
      const joined = server.gateway.join('p', {
        ...{ caller: localOwner, participant: 'stuck', wire, filter: EVERYTHING },
        ...{ since: undefined, epoch: undefined },
      });
      wire.stuck = true;
      const peer = await server.join();
      while (!joined.member.closed) {
        expect(wire.buffered).toBeLessThanOrEqual(2000);
        await say(peer, chat());
      }
      expect(wire.buffered).toBeGreaterThan(1000);
      expect(wire.closed).toMatchObject({ code: CLOSE_CODES.tooSlow });
    },
  },
  readerBytesInAll: {
    value: 2000,
    async watch(server, value) {
      const wires = ['one', 'two'].map((participant) => {
        const wire = new TestWire();
        wire.stuck = true;
        server.gateway.join('p', {
          ...{ caller: localOwner, participant, wire, filter: EVERYTHING },
          ...{ since: undefined, epoch: undefined },
        });
        return wire;
      });
      const peer = await server.join();
      while (wires.every(({ closed }) => closed === undefined)) await say(peer, chat());
      const waited = wires.reduce((sum, { buffered }) => sum + buffered, 0);
      expect(waited).toBeGreaterThan(value);
      expect(wires.find(({ closed }) => closed)!.closed).toMatchObject({ code: CLOSE_CODES.tooSlow });
    },
  },
  podBufferBytes: waitingToBeWritten,
  historyBufferBytes: waitingToBeWritten,
  historyPageBytes: {
    value: 1000,
    async watch(server) {
      const peer = await server.join();
      for (let count = 1; count <= 8; count++) {
        await say(peer, chat());
        const isStored = () => peer.frames.filter(({ kind }) => kind === 'system/stored').length >= count;
        await peer.next(isStored);
      }
      const seen: number[] = [];
      for (let cursor: string | null = '0'; cursor !== null; ) {
        const response = await fetch(`${server.url}/api/pods/p/messages?limit=100&cursor=${cursor}`);
        const page = (await response.json()) as { messages: { seq: number }[]; next: string | null };
        seen.push(...page.messages.map(({ seq }) => seq));
        expect(page.messages.length).toBeLessThan(5);
        cursor = page.next;
      }
      expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    },
  },
  recentEnvelopes: recent(3, () => 3),
  recentEnvelopeBytes: recent(1000, (bytes) => Math.floor(1000 / bytes)),
  recentBytesInAll: recent(1000, (bytes) => Math.floor(1000 / bytes)),
  podsOpen: {
    value: 2,
    async watch(server, value) {
      await server.join({ pod: 'one' });
      await server.join({ pod: 'two' });
      expect(await turnedAway(server, { pod: 'three' })).toContain(String(value));
    },
  },
  podConnections: {
    value: 2,
    async watch(server, value) {
      await server.join({ participant: 'one' });
      await server.join({ participant: 'two' });
      expect(await turnedAway(server, { participant: 'three' })).toContain(`has ${value} connections`);
    },
  },
  replayEnvelopes: {
    value: 2,
    async watch(server, value) {
      const peer = await server.join();
      for (let index = 0; index < value + 1; index++) await say(peer, chat());
      peer.send({ id: 'replay', kind: 'gateway/replay', payload: { since: 0, limit: 100 } });
      const end = await peer.next(({ kind }) => kind === 'system/replay');
      expect(end.payload).toEqual({ count: value, next: value });
    },
  },
  deflateBytes: {
    value: 1000,
    async watch(server, value) {
      const peer = await Peer.join(server.url, { pod: 'p', participant: 'a' }, { perMessageDeflate: true });
      const read = () => (peer.socket as unknown as { _socket: { bytesRead: number } })._socket.bytesRead;
      const bytes = async (size: number) => {
        const before = read();
        await say(peer, chat({ payload: 'x'.repeat(size) }));
        await peer.settled();
        return read() - before;
      };
      expect(await bytes(value - 400)).toBeGreaterThan(value - 400);
      expect(await bytes(value)).toBeLessThan(value);
    },
  },
  heartbeat: {
    value: 100,
    async watch(server) {
      const silent = await Peer.join(server.url, { pod: 'p', participant: 'silent' }, { autoPong: false });
      const alive = await server.join();
      expect((await silent.closed).code).toBe(1006);
      expect((await say(alive, chat())).refusal).toBeUndefined();
    },
  },
};
