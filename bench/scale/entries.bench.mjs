import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { PROJECTIONS } from '../../packages/server/dist/cli/services/projections.js';
import { NatsJournal } from '../../packages/server/dist/journal/nats.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { benchmark } from '../harness.mjs';
import { Agent } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { importSource } from '../support/typescript.mjs';

const OPERATIONS = 10;
const TOOLSETS = ['fold', 'memory', 'gateway'];
const ITEM = 'The build needs Node 22 or later, because the tests use its SQLite module. '.repeat(4);
const MESSAGE = 'The gateway carries every message to everyone in the pod unless they filter. '.repeat(4);

/** What the work of agents takes in the stream, as JetStream counts it, and in the file of a node. */
export default benchmark({
  target: 'none: the figures that docs/scale.md reckons with',
  async run({ quick }) {
    const { startNats } = await importSource('test/support/nats.ts');
    const nats = await startNats();
    const connection = await connect({ servers: nats.url });
    const { config } = loadConfig({ data: temporaryFolder(), toolsets: TOOLSETS }, {});
    const place = { folder: config.data, projections: PROJECTIONS, limits: config.limits };
    const journal = await NatsJournal.open({ ...place, connection });
    const services = createServices(config, journal, 'silent');
    try {
      const agent = await new Agent(services, '/bench/scale').begin();
      const kinds = {
        'a fold cycle (branch, 10 operations, return)': async () => {
          await agent.branch();
          for (let done = 0; done < OPERATIONS; done++) await agent.operate();
          await agent.fold();
        },
        '`pod_send` of 312 characters': () =>
          agent.call('pod_send', { pod: 'bench', kind: 'chat', text: MESSAGE }),
        '`remember` of 304 characters': (/** @type {number} */ index) =>
          agent.call('remember', { kind: 'fact', title: `Item ${index}`, content: `${index}: ${ITEM}` }),
      };
      const manager = await jetstreamManager(connection);
      const measure = async () => {
        const { state } = await manager.streams.info('INFOLD');
        return { bytes: state.bytes, messages: state.messages, file: sizeOf(journal.database) };
      };
      const rows = [];
      for (const [what, work] of Object.entries(kinds)) {
        await work(-1);
        await services.meter.drain();
        const rounds = quick ? 20 : 300;
        const before = await measure();
        for (let round = 0; round < rounds; round++) await work(round);
        await services.meter.drain();
        const after = await measure();
        const each = (/** @type {'bytes' | 'messages' | 'file'} */ key) =>
          (after[key] - before[key]) / rounds;
        const stored = `${what}, ${each('messages') / 2} entries: bytes in the stream`;
        const against = 'bytes in the file of a node';
        rows.push({ what: stored, unit: 'bytes', against, ours: [each('bytes')], floor: [each('file')] });
      }
      return rows;
    } finally {
      await services.settle();
      await journal.close();
      await nats.stop();
    }
  },
});

/** @param {import('../../packages/server/dist/kernel/sqlite.js').Database} database */
function sizeOf(database) {
  const pages = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';
  return Number(database.get(pages)?.bytes);
}
