import { sessionById } from '../../packages/server/dist/trust/sessions/queries.js';
import { Agent, startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { nodeConfig } from './nats.mjs';

/**
 * A node in a process of its own that writes when it is told to: `node writing-node.mjs NATS-URL`. It is asked
 * `{ begin: true }` for a session, `{ session, seq }` to go on in another node's, and `{ writers, each }` to report operations
 * in it; to that it answers how many were refused.
 */
const services = await startServices(nodeConfig(temporaryFolder(), process.argv[2] ?? ''));
const { journal } = services;
const agent = new Agent(services, '/bench/contention');

process.on('message', async (/** @type {any} */ asked) => {
  if (asked.begin) {
    await agent.begin();
    await agent.branch();
    process.send?.({ session: agent.session?.id, seq: journal.head().seq });
  } else if (asked.session) {
    await journal.reached(asked.seq);
    agent.session = sessionById(journal.database, asked.session);
    process.send?.({ seq: journal.head().seq });
  } else {
    let refused = 0;
    const write = async () => {
      for (let count = 0; count < asked.each; count++) {
        await agent.operate().catch((/** @type {unknown} */ error) => {
          refused++;
          process.stderr.write(`${error}\n`);
        });
      }
    };
    await Promise.all(Array.from({ length: asked.writers }, write));
    process.send?.({ refused });
  }
});
process.once('disconnect', async () => {
  await services.settle();
  await journal.close();
  process.exit();
});
process.send?.('ready');
