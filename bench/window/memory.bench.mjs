import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { benchmark } from '../harness.mjs';
import { PROGRAM, ServerProcess, temporaryFolder } from '../support/server-process.mjs';

const agent = new Agent({ keepAlive: true });
const MEGABYTE = 1_000_000;

/** What conversations of a megabyte keep in the server's memory while they are live: each has had its third turn. */
export default benchmark({
  target: 'at most 3 MB for a live conversation of 1 MB',
  async run({ quick }) {
    const count = quick ? 20 : 60;
    const model = await ServerProcess.start(
      fileURLToPath(new URL('../support/model-upstream.mjs', import.meta.url)),
    );
    const ours = await ServerProcess.start(PROGRAM, [
      ...['serve', '--port', '0', '--data', temporaryFolder(), '--log-level', 'warn'],
      ...['--upstream', `anthropic=${model.url}`],
    ]);
    try {
      // What reading a body of that size takes for a moment is there once, however many conversations there are.
      for (let index = 0; index < 10; index++) await talk(ours.url, `warm-${index}`);
      await sleep(2000);
      const before = (await ours.usage()).residentBytes;
      for (let index = 0; index < count; index++) await talk(ours.url, `live-${index}`);
      await sleep(2000);
      const after = (await ours.usage()).residentBytes;
      return [
        {
          what: `memory of the server for each of ${count} live conversations of 1 MB`,
          unit: 'MB',
          against: 'the conversation itself',
          ours: [Math.max(0, after - before) / count / MEGABYTE],
          floor: [1],
          limit: { atMost: 3 },
        },
      ];
    } finally {
      agent.destroy();
      await Promise.all([ours.stop(), model.stop()]);
    }
  },
});

/**
 * @param {string} url
 * @param {string} session
 */
async function talk(url, session) {
  /** @type {object[]} */
  const messages = [{ role: 'user', content: `Find out why the tests fail (${session}).` }];
  let size = 0;
  const goOn = () => {
    const number = messages.length;
    const id = `toolu_${session}_${number}`;
    const lines = Array.from(
      { length: 200 },
      (_, index) => `${index}\tconst value${number} = ${session}(${index});`,
    );
    messages.push(
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/${number}.ts` } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines.join('\n') }] },
    );
    size += lines.join('\n').length;
  };
  while (size < MEGABYTE) goOn();
  for (let turn = 0; turn < 3; turn++) {
    goOn();
    const body = Buffer.from(JSON.stringify({ model: 'model', max_tokens: 100, stream: true, messages }));
    await new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': body.length,
        'x-claude-code-session-id': session,
      };
      request(`${url}/model/anthropic/v1/messages`, { agent, method: 'POST', headers }, (answer) => {
        answer.resume().once('end', resolve).once('error', reject);
      })
        .once('error', reject)
        .end(body);
    });
  }
}
