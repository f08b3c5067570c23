import { join } from 'node:path';
import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { openJournal } from '../../packages/server/dist/cli/services/journal.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { countTokens } from '../../packages/server/dist/kernel/tokens/count.js';
import { benchmark } from '../harness.mjs';
import { Agent } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { writeActivities } from './activities.mjs';

const ALLOWED = 1600;

/** What the door costs an agent's window: its tools, and a lean fetch beside the page itself. */
export default benchmark({
  target: 'a lean fetch at most 0.05 × its page; tool definitions at most 1,600 tokens',
  async run() {
    const folder = temporaryFolder();
    const path = join(folder, 'activities.jsonl');
    await writeActivities(path, 200);
    const sources = { activity: { type: 'jsonl', path } };
    const config = { ...loadConfig({ data: folder }, {}).config, sources };
    const journal = await openJournal(config);
    const services = createServices(config, journal, 'silent');
    const agent = new Agent(services, '/bench/records');
    const tokensOf = async (/** @type {Record<string, unknown>} */ input) =>
      countTokens(JSON.stringify(await agent.call('search_records', { model: 'activity', ...input })));
    const lean = await tokensOf({ lean: true });
    const full = await tokensOf({});
    const own = new Set(
      services.registry.tools.filter(({ door }) => door === 'transient').map(({ name }) => name),
    );
    const listed = services.registry
      .list('seed')
      .filter(({ name }) => own.has(name))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    await services.records.close();
    await journal.close();
    return [
      {
        what: 'a lean fetch of 50 records',
        unit: 'tokens',
        against: 'the page itself',
        ours: [lean],
        floor: [full],
        limit: { ratioAtMost: 0.05 },
      },
      {
        what: `definitions of the ${listed.length} tools of the transient door`,
        unit: 'tokens',
        against: 'the most that is allowed',
        ours: [countTokens(JSON.stringify(listed))],
        floor: [ALLOWED],
        limit: { ratioAtMost: 1 },
      },
    ];
  },
});
