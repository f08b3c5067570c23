import { readFileSync } from 'node:fs';
import type { Envelope } from '@infold/protocol';
import { expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { veiled } from '../support/compare-with-page.ts';
import { Peer } from '../support/gateway.ts';
import { startServer, until } from '../support/program.ts';

const page = readFileSync(new URL('../../../docs/protocols/gateway.md', import.meta.url), 'utf8');
const steps = [...page.matchAll(/^```json (alice|bob) (sends|receives)\n([\s\S]*?)^```$/gm)].map(
  ([, who, what, body]) => ({ who: who as 'alice' | 'bob', what, body: JSON.parse(body!) as Envelope }),
);

test('the worked example of the page is what happens', async () => {
  verifies('SUB-01', 'SUB-05', 'SUB-07', 'SUB-09');
  const server = await startServer();
  const bob = await Peer.join(server.url, { pod: 'review', participant: 'bob' });
  const alice = await Peer.join(server.url, { pod: 'review', participant: 'alice' });
  const peers = { alice, bob };
  // Bob's own welcome is not on the page.
  const read = { alice: 0, bob: 1 };
  expect(steps.length).toBeGreaterThan(12);
  for (const { who, what, body } of steps) {
    const peer = peers[who];
    if (what === 'sends') {
      peer.send(body);
      continue;
    }
    // What Alice hears of herself is not on the page.
    const isNext = ({ kind }: Envelope, index: number) =>
      index >= read[who] && (who === 'bob' || kind === body.kind);
    await until(() => peer.frames.some(isNext));
    read[who] = peer.frames.findIndex(isNext) + 1;
    const frame = peer.frames[read[who] - 1]!;
    expect(veiled(frame, body)).toEqual(body);
  }
  expect(bob.frames.length).toBe(read.bob);
});
