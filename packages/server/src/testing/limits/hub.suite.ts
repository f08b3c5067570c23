import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { TestHub } from '../../../../../test/support/hub.ts';
import { messageOf } from '../../kernel/errors.ts';
import { type Probe, type Probes, refusesAbove } from './probe.suite.ts';
import type { Outcome, Served } from './served.suite.ts';

const hash = (digit: number) => `${digit}`.repeat(64);

/** This server is the edge of a hub that has so much: what fits is taken, one more is refused by the limit's number. */
const takesFrom = (value: number, filesOf: (size: number) => Record<string, string>): Probe => ({
  value,
  async watch(server) {
    const hub = await TestHub.start();
    const { token } = await hub.token('edge');
    await hub.publish('shop', filesOf(value));
    const { edge } = server.services.parts;
    await edge.join({ url: hub.url, token, project: '/shop', to: undefined });
    await hub.publish('shop', filesOf(value + 1));
    const problem = await edge.sync().then(
      () => 'nothing',
      (error: unknown) => messageOf(error),
    );
    expect(problem).toMatch(new RegExp(`(?<!\\d)${value}(?!\\d)`));
  },
});

/** A batch of an edge with so many entries, whose reports have so many characters. */
async function upload(server: Served, entries: number, characters: number): Promise<Outcome> {
  const added = await server.post('/api/projects', { name: `shop-${randomUUID().slice(0, 8)}` });
  const { id: project } = added.data as { id: string };
  const edge = `edge_${'abcdefghijkmnpqrstuv'.slice(0, 19)}${'wxyz23456789'[entries % 12]}`;
  const upto = { seq: entries, hash: hash(2) };
  return server.post('/api/hub/events', {
    ...{ edge, after: { seq: 0, hash: hash(0) }, upto, now: Date.now() },
    entries: Array.from({ length: entries }, (_, index) => ({
      ...{ id: randomUUID(), seq: index + 1, hash: index + 1 === entries ? upto.hash : hash(1) },
      ...{ at: Date.now(), agent: null, project, session: 'sess_probe' },
      events: [{ type: 'attest.agent_report', data: { summary: 'x'.repeat(characters) } }],
    })),
  });
}

export const hubProbes: Probes = {
  hubFiles: takesFrom(2, (size) =>
    Object.fromEntries(Array.from({ length: size }, (_, at) => [`rules/R${at}.md`, `# Rule ${at}\n`])),
  ),
  hubLibraryBytes: {
    ...takesFrom(100, (size) => ({ 'rules/R.md': '# Rule\n'.padEnd(size === 100 ? 60 : 160, 'x') })),
  },
  hubMetaPromptBytes: takesFrom(50, (size) => ({ 'META_PROMPT.md': '# Ours\n'.padEnd(size, 'x') })),
  hubTextsPerAnswer: refusesAbove(2, 'invalid_arguments', async (server, size) => {
    const hashes = Array.from({ length: size }, (_, at) => `sha256:${hash(at)}`).join(',');
    const outcome = await server.get(`/api/hub/files/${hashes}?project=default`);
    // Files that nobody has are not found, which is past the limit.
    return outcome.refusal?.code === 'not_found' ? { ...outcome, refusal: undefined } : outcome;
  }),
  hubBatchEntries: refusesAbove(2, 'invalid_arguments', (server, size) => upload(server, size, 10)),
  hubBatchBytes: {
    value: 1000,
    async watch(server, value) {
      expect((await upload(server, 1, 10)).refusal).toBeUndefined();
      const { refusal } = await upload(server, 2, 1000);
      expect(refusal).toMatchObject({ code: 'too_large' });
      expect(refusal!.message).toContain(String(value));
    },
  },
};
