import { expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer } from '../support/gateway.ts';
import { run, startServer, temporaryFolder } from '../support/program.ts';

test('a server that is killed leaves a history without holes, and says what it lost', async () => {
  verifies('SUB-09');
  const data = temporaryFolder();
  let said = 0;
  for (let life = 0; life < 3; life++) {
    const server = await startServer({ data });
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    const stop = performance.now() + 200 + life * 70;
    while (performance.now() < stop) {
      for (let index = 0; index < 20; index++) {
        const context = index % 3 ? {} : { context: { id: `c-${said % 7}` } };
        alice.send({ id: `m-${++said}`, kind: 'chat', ...context, payload: { text: `number ${said}` } });
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    server.process.kill('SIGKILL');
    await alice.closed;
    const last = alice.said.at(-1)!;

    const next = await startServer({ data });
    const back = await Peer.join(next.url, {
      pod: 'p',
      participant: 'alice',
      since: String(last.seq),
      epoch: last.epoch!,
    });
    back.send({ id: `life-${life}`, kind: 'chat', payload: {} });
    const fresh = await back.message(`life-${life}`);
    const all: { seq: number; envelope: { id: string } }[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const response = await fetch(`${next.url}/api/pods/p/messages?limit=1000&cursor=${cursor}`);
      const body = (await response.json()) as { messages: typeof all; next: string | null };
      all.push(...body.messages);
      cursor = body.next;
    }
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: all.length }, (_, index) => index + 1));
    expect(all.at(-1)!.envelope.id).toBe(`life-${life}`);
    expect(fresh.seq).toBe(all.length);
    // What alice saw last is stored, or she is told that it is not.
    const isStored = all.some(({ envelope }) => envelope.id === last.id);
    const gaps = back.frames.filter(({ kind }) => kind === 'system/gap');
    expect(gaps.length > 0).toBe(!isStored);
    await next.stop();
  }
  expect((await run(['verify', '--data', data])).code).toBe(0);
});
