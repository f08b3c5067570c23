import { benchmark, interleave, time } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { importInto, withoutMeter, writeLibrary } from './folder.mjs';

const RULES = 20;

/** Loading what has not changed beside loading it for the first time. */
export default benchmark({
  target: 'no content, at most 0.7 × the bytes of a first load, at most 3 ms',
  async run({ quick }) {
    const services = await startServices();
    const folder = temporaryFolder();
    writeLibrary(folder, 200);
    await importInto(services, '/bench/library', folder);
    const agent = await new Agent(withoutMeter(services), '/bench/library').begin();
    const session_id = agent.session?.id;
    await agent.call('memory.setup', { session_id });
    const { items } = /** @type {{ items: { id: string, hash: string }[] }} */ (
      await agent.call('memory.discover', { kind: 'rule', session_id })
    );
    const chosen = items.slice(0, RULES);
    const ids = chosen.map(({ id }) => id);
    const known = {
      ids,
      knownHashes: Object.fromEntries(chosen.map(({ id, hash }) => [id, hash])),
      session_id,
    };
    const unknown = { ids, knownHashes: Object.fromEntries(ids.map((id) => [id, ''])), session_id };
    const first = /** @type {{ items: { content: string | null }[] }} */ (
      await agent.call('memory.load', unknown)
    );
    const again = /** @type {{ items: { content: string | null }[] }} */ (
      await agent.call('memory.load', known)
    );
    if (again.items.some(({ content }) => content !== null)) throw new Error('Content was sent again');
    const bytes = (/** @type {unknown} */ value) => Buffer.byteLength(JSON.stringify(value));
    const loads = quick ? 10 : 40;
    const each = async (/** @type {Record<string, unknown>} */ input) =>
      (await time(async () => {
        for (let count = 0; count < loads; count++) await agent.call('memory.load', input);
      })) / loads;
    const samples = await interleave({
      rounds: quick ? 3 : 12,
      warmup: 2,
      ours: () => each(known),
      floor: () => each(unknown),
    });
    await services.journal.close();
    return [
      {
        what: '`memory.load` of 20 unchanged rules, answer',
        unit: 'bytes',
        against: 'the first load',
        ours: [bytes(again)],
        floor: [bytes(first)],
        limit: { ratioAtMost: 0.7 },
      },
      {
        what: '`memory.load` of 20 unchanged rules, the call, durable evidence included',
        unit: 'ms',
        against: 'the same with content',
        ...samples,
        limit: { atMost: 3 },
      },
    ];
  },
});
