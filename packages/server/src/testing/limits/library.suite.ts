import { expect } from 'vitest';
import { publish } from '../../transient/fixture.suite.ts';
import { type Probe, type Probes, refusesAbove } from './probe.suite.ts';
import { type Agent, PROJECT, type Served } from './served.suite.ts';

const INVALID = 'invalid_arguments';
const RULE = '# Rule\n\n## Walruses\n\n- Never feed them\n- Never wake them\n- Never wash them\n';

async function readerOf(server: Served, files: number): Promise<Agent> {
  for (let number = 1; number <= files; number++) {
    await publish(server.services, `rules/walrus-${number}.md`, `${RULE}\n${number}\n`);
  }
  const agent = server.agent();
  await agent.done('memory.setup', { session_id: agent.session });
  return agent;
}

/** A list that has more than fit is cut, and says so. */
const listing = (value: number, query: object): Probe => ({
  value,
  async watch(server) {
    const agent = await readerOf(server, value);
    const found = async () => {
      const { data, notices } = await agent.done('memory.discover', { ...query });
      return {
        items: (data.items as unknown[]).length,
        cut: notices.some((notice) => /Only the first/.test(notice)),
      };
    };
    expect(await found()).toEqual({ items: value, cut: false });
    await publish(server.services, 'rules/one-more.md', RULE);
    expect(await found()).toEqual({ items: value, cut: true });
  },
});

const stepsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `  - {order: ${at + 1}, title: Step, description: Do it}\n`).join(
    '',
  );

const draft = (agent: Agent, path: string, body: string) =>
  agent.call('draft', { resource: 'rule', op: { create: { path, body } } });

export const libraryProbes: Probes = {
  libraryFileBytes: refusesAbove(100, 'too_large', async (server, size) => {
    const agent = await readerOf(server, 0);
    return draft(agent, `rules/size-${size}.md`, '# Rule\n'.padEnd(size, 'x'));
  }),
  discoverItems: listing(2, {}),
  discoverMatches: listing(2, { query: 'walruses' }),
  loadItems: {
    value: 2,
    async watch(server, value) {
      const agent = await readerOf(server, value + 1);
      const { items } = (await agent.done('memory.discover')).data as { items: { id: string }[] };
      const load = (_: Served, size: number) => {
        const ids = items.slice(0, size).map(({ id }) => id);
        return agent.call('memory.load', { ids, knownHashes: Object.fromEntries(ids.map((id) => [id, ''])) });
      };
      await refusesAbove(value, INVALID, load).watch(server, value);
    },
  },
  referItems: {
    value: 2,
    async watch(server, value) {
      const agent = await readerOf(server, 1);
      const { items } = (await agent.done('memory.discover')).data as { items: { id: string }[] };
      const refer = (_: Served, size: number) => {
        const refs = Array.from({ length: size }, (_ref, at) => ({
          ruleId: items[0]!.id,
          constraintId: `Walruses/${at + 1}`,
        }));
        return agent.call('memory.refer', { refs });
      };
      await refusesAbove(value, INVALID, refer).watch(server, value);
    },
  },
  workflowSteps: refusesAbove(2, 'invalid_content', async (server, size) => {
    const agent = await readerOf(server, 0);
    const path = `workflow/STEPS-${size}.md`;
    await draft(agent, path, `---\nsteps:\n${stepsOf(size)}---\n# Steps\n`);
    const step = (name: string) =>
      server.post(`/api/library/drafts/${encodeURIComponent(path)}/${name}?project=${PROJECT}`, {});
    await step('submit');
    await step('approve');
    return step('publish');
  }),
};
