import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histories, requestsOf, type Sent } from '../../packages/client/src/window/histories.suite.ts';
import { problemsOf } from '../../packages/client/src/window/validators.suite.ts';
import { runJson, startServer, temporaryFolder } from '../e2e/support/program.ts';
import { JSON_TYPE, send, startUpstream } from '../e2e/support/upstream.ts';
import { verifies } from '../requirements.ts';
import { everyRound, PATIENCE, pause } from './support.ts';

const UPSTREAMS: Record<string, string> = { anthropic: 'anthropic', gemini: 'gemini' };
/** Requests of a round: enough for branches to be folded, few enough for many rounds. */
const MOST = 25;

test('a request that is sent again after kill -9, in whichever moment, arrives in the same bytes', {
  timeout: PATIENCE,
}, async () => {
  verifies('WIN-04', 'WIN-07');
  await everyRound(async (round) => {
    const [{ host, script }] = fc.sample(histories({ episodes: 8 }), { numRuns: 1, seed: round + 1 }) as [
      { host: Parameters<typeof requestsOf>[1]; script: Parameters<typeof requestsOf>[0] },
    ];
    let isHeld = false;
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, JSON_TYPE).write('{"usage":');
      if (!isHeld) response.end('{}}');
    });
    const data = temporaryFolder();
    const args = ['anthropic', 'openai', 'gemini'].flatMap((name) => [
      '--upstream',
      `${name}=${upstream.url}`,
    ]);
    let server = await startServer({ data, args });
    const post = ({ dialect, path, headers, text }: Sent) =>
      send(`${server.url}/model/${UPSTREAMS[dialect] ?? 'openai'}${path}`, {
        headers: { ...JSON_TYPE, ...headers },
        body: text,
      });
    const requests = requestsOf(script, host).slice(0, MOST);
    const fatal = new Set([round % requests.length, (round * 7 + 3) % requests.length]);
    for (const [place, sent] of requests.entries()) {
      if (fatal.has(place)) {
        const before = upstream.arrived.length;
        isHeld = true;
        const lost = post(sent).catch(() => undefined);
        // Sometimes before it is sent on, mostly in the middle of its answer.
        await pause((round * 13) % 60);
        server.process.kill('SIGKILL');
        await Promise.all([server.ended, lost]);
        isHeld = false;
        server = await startServer({ data, args });
        const first = upstream.arrived.slice(before);
        await post(sent);
        for (const { body } of first) expect(upstream.arrived.at(-1)!.body.toString()).toBe(body.toString());
      } else await post(sent);
      const { body } = upstream.arrived.at(-1)!;
      expect(body.length).toBeLessThanOrEqual(Buffer.byteLength(sent.text));
      expect(problemsOf(sent.dialect, JSON.parse(body.toString()), sent.body)).toEqual([]);
    }
    await server.stop();
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true });
  });
});
