import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Run } from '../../cli/command-line.ts';
import { memoryImport } from '../../cli/memory/import.ts';
import { pack } from '../../cli/memory/pack.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import { type Probe, type Probes, refusesAbove } from './probe.suite.ts';
import type { Outcome, Served } from './served.suite.ts';

const INVALID = 'invalid_arguments';
const LINES = 'application/x-ndjson';
let items = 0;

/** An item with this field, through every way in. */
const remembering = (value: number, fields: (size: number) => Record<string, unknown>): Probe =>
  refusesAbove(
    value,
    INVALID,
    (server, size) => server.agent().call('remember', { content: `item ${++items}`, ...fields(size) }),
    (server, size) => server.post('/api/memory/items', { content: `item ${++items}`, ...fields(size) }),
    (server, size) => imported(server, JSON.stringify({ content: `item ${++items}`, ...fields(size) })),
  );

/** A line that could not be taken stands in the report. */
function reported(outcome: Outcome): Outcome {
  const [bad] = outcome.data.bad as { problem: string }[];
  return bad ? { ...outcome, refusal: { code: INVALID, message: bad.problem } } : outcome;
}

const imported = async (server: Served, line: string): Promise<Outcome> =>
  reported(await server.post('/api/memory/import', line, LINES));

/** A command of the command line, on the same data folder. */
async function command({ services }: Served, work: (run: Run) => Promise<unknown>): Promise<Outcome> {
  const outcome: Outcome = { status: 0, data: {}, text: '', notices: [], refusal: undefined };
  const answer = (value: unknown) => Object.assign(outcome.data, value);
  try {
    await work({
      report: { config: services.config, file: null, origins: {} },
      output: { json: true, answer, note: () => {} },
      logLevel: 'silent',
    });
  } catch (error) {
    if (!InfoldError.isInstance(error)) throw error;
    outcome.refusal = { code: error.code, message: error.message };
  }
  return outcome;
}

async function importedFile(server: Served, line: string): Promise<Outcome> {
  const path = join(server.services.config.data, 'files', 'items.jsonl');
  writeFileSync(path, line);
  return reported(await command(server, (run) => memoryImport(run, path, {})));
}

/** What a pack of this layer says in as much room as it has by default is less than it would say. */
const budget = (value: number, layer: string): Probe => ({
  value,
  async watch(server) {
    const notes = Array.from({ length: 40 }, (_, number) => ({
      content: `The walrus of pond ${number} eats ${number} clams at noon, and sleeps for ${number} hours after that.`,
    }));
    await server.post('/api/memory/import', { items: notes });
    const goal = { goal: 'what the walrus eats', layer, limit: 40 };
    const tokens = async (more: object) =>
      countTokensOf((await server.agent().done('context', { ...goal, ...more })).text);
    expect(await tokens({})).toBeLessThanOrEqual(value);
    expect(await tokens({ token_budget: 10 * value })).toBeGreaterThan(value);
    const list = await (await fetch(`${server.url}/mcp/tools/list`)).text();
    expect(list).toContain(`${value} ${layer === 'wake' ? 'for wake' : layer}`);
  },
});

function lineOf(bytes: number): string {
  const bare = JSON.stringify({ content: String(++items) });
  return bare.replace('":"', `":"${'x'.repeat(bytes - bare.length)}`);
}

export const memoryProbes: Probes = {
  goalCharacters: refusesAbove(
    20,
    INVALID,
    (server, size) => server.agent().call('context', { goal: 'x'.repeat(size) }),
    (server, size) => server.agent().call('synthesis_plan', { goal: 'x'.repeat(size) }),
    (server, size) => server.post('/api/packs', { goal: 'x'.repeat(size) }),
    (server, size) => server.post('/api/synthesis', { goal: 'x'.repeat(size) }),
    (server, size) => server.get(`/api/memory/search?q=${'x'.repeat(size)}`),
    (server, size) => command(server, (run) => pack(run, 'x'.repeat(size), {})),
  ),
  itemCharacters: remembering(30, (size) => ({ content: String(++items).padStart(size, 'x') })),
  itemTitleCharacters: remembering(12, (size) => ({ title: 'x'.repeat(size) })),
  itemTags: remembering(2, (size) => ({ tags: Array.from({ length: size }, (_, tag) => `tag-${tag}`) })),
  itemRelations: {
    value: 2,
    async watch(server, value) {
      const { data } = await server.agent().done('remember', { content: 'the target' });
      const types = ['relates_to', 'supports', 'requires'];
      const relations = (size: number) => types.slice(0, size).map((type) => ({ type, id: data.id }));
      await remembering(value, (size) => ({ relations: relations(size) })).watch(server, value);
    },
  },
  importLineBytes: refusesAbove(
    60,
    INVALID,
    (server, size) => imported(server, lineOf(size)),
    (server, size) => importedFile(server, lineOf(size)),
  ),
  wakeTokens: budget(160, 'wake'),
  recallTokens: budget(300, 'recall'),
  deepSearchTokens: budget(500, 'deep_search'),
  remembersPerMinute: {
    value: 3,
    async watch(server, value) {
      const agent = server.agent();
      const remember = () => agent.call('remember', { content: `item ${++items}` });
      expect((await remember()).refusal).toBeUndefined();
      expect((await server.post('/api/memory/items', { content: 'by hand' })).refusal).toBeUndefined();
      expect(
        (await server.post('/api/memory/import', { items: [{ content: 'x' }] })).refusal,
      ).toBeUndefined();
      for (const late of [
        await remember(),
        await server.post('/api/memory/items', { content: 'late' }),
        await server.post('/api/memory/import', { items: [{ content: 'y' }] }),
      ]) {
        expect(late.refusal).toMatchObject({ code: 'rate_limited' });
        expect(late.refusal!.message).toContain(`limit of ${value} remembers a minute`);
      }
    },
  },
};
