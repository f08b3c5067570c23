import type { PresencePayload } from '@infold/protocol';
import { expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer, upgradeStatus } from '../support/gateway.ts';
import { runJson, startServer, temporaryFolder } from '../support/program.ts';

interface Made {
  id: string;
  token: string;
  expires_at: string | null;
}

/** Tokens end by themselves without anybody writing it down, so the server has to look; this is how often. */
const CHECK = 1000;

test('a connection ends with 4001 soon after its token has expired, and others go on', async () => {
  verifies('KERN-10');
  const data = temporaryFolder();
  const create = (name: string, ...more: string[]) =>
    runJson<Made>(data, 'token', 'create', '--name', name, ...more);
  const [lasting, other] = [await create('lasting'), await create('other')];
  const server = await startServer({ data });
  const stays = await Peer.join(server.url, { pod: 'p', token: lasting.token });
  const brief = await create('brief', '--expires', '10s');
  const guest = await Peer.join(server.url, { pod: 'p', token: brief.token });
  const elsewhere = await Peer.join(server.url, { pod: 'q', token: brief.token });
  const expiry = Date.parse(brief.expires_at!);
  // A revocation makes the server look at all tokens: this one has not ended yet.
  const revoked = await Peer.join(server.url, { pod: 'p', token: other.token });
  await runJson(data, 'token', 'revoke', other.id);
  expect((await revoked.closed).code).toBe(4001);
  guest.send({ id: 'm-1', kind: 'chat', payload: { text: 'while it lasts' } });
  await stays.message('m-1');

  // Between two looks at the clock, what somebody says whose time is up is not heard.
  const late = setInterval(() => {
    if (Date.now() >= expiry) elsewhere.send({ id: `late-${Date.now()}`, kind: 'chat', payload: {} });
  }, 5);
  const bystander = await Peer.join(server.url, { pod: 'q', token: lasting.token });
  const closings = [guest, elsewhere].map(async (peer) => ({ ...(await peer.closed), at: Date.now() }));
  for (const { code, reason, at } of await Promise.all(closings)) {
    expect({ code, reason }).toEqual({ code: 4001, reason: expect.stringContaining('expired') });
    expect(at).toBeGreaterThanOrEqual(expiry);
    expect(at).toBeLessThan(expiry + CHECK + 3000);
  }
  clearInterval(late);
  expect(bystander.ids).toEqual([]);
  await stays.next(({ payload }) => {
    const { event, participant } = payload as Partial<PresencePayload>;
    return event === 'leave' && participant?.id === 'brief';
  });

  const path = (token: string) => `/ws?pod=p&token=${token}`;
  expect(await upgradeStatus(server.url, path(brief.token))).toBe(401);
  stays.send({ id: 'm-2', kind: 'chat', payload: { text: 'still here' } });
  await stays.message('m-2');
  expect(stays.ids).toEqual(['m-1', 'm-2']);
});
