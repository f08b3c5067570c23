import { expect } from 'vitest';
import { upgradeStatus } from '../../../../../test/e2e/support/gateway.ts';
import type { Probe, Probes } from './probe.suite.ts';
import type { Served } from './served.suite.ts';

async function openStream(server: Served): Promise<Response> {
  const session = await server.agent().connection();
  return fetch(`${server.url}/mcp`, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
}

const streams: Probe = {
  value: 2,
  async watch(server, value) {
    const open = [await openStream(server), await openStream(server)];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await openStream(server);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      error: expect.stringContaining(`${value} open streams`),
    });
    for (const { body } of open) await body?.cancel();
  },
};

const sockets: Probe = {
  value: 2,
  async watch(server) {
    await server.join({ participant: 'one' });
    await server.join({ participant: 'two' });
    expect(await upgradeStatus(server.url, '/ws?pod=p&participant=three')).toBe(429);
  },
};

const pods: Probe = {
  value: 2,
  async watch(server, value) {
    for (const pod of ['one', 'two']) await server.join({ pod });
    const { refusal } = await server.agent().call('pod_send', { pod: 'three', kind: 'chat', payload: {} });
    expect(refusal).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining(`${value} open pods`),
    });
    expect(
      (await server.agent().call('pod_send', { pod: 'two', kind: 'chat', payload: {} })).refusal,
    ).toBeUndefined();
  },
};

/** The status of an answer to who is not known; 0 where there is none. */
const knock = (server: Served): Promise<number> =>
  fetch(`${server.url}/api/sessions`, { headers: { authorization: 'Bearer nobody' } }).then(
    ({ status }) => status,
    () => 0,
  );

/** What principals and organisations may hold open, and what is done for strangers. */
export const shareProbes: Probes = {
  streamsPerPrincipal: streams,
  streamsPerOrganisation: streams,
  socketsPerPrincipal: sockets,
  socketsPerOrganisation: sockets,
  podsPerPrincipal: pods,
  podsPerOrganisation: pods,
  strangersPerMinute: {
    value: 2,
    async watch(server) {
      expect([await knock(server), await knock(server), await knock(server)]).toEqual([401, 401, 429]);
    },
  },
  strangersWaiting: {
    value: 1,
    settings: { limits: { strangersPerMinute: 1 } },
    async watch(server) {
      expect(await knock(server)).toBe(401);
      const knocks = await Promise.all([knock(server), knock(server), knock(server)]);
      expect(knocks.sort()).toEqual([0, 0, 429]);
    },
  },
};
