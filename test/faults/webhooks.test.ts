import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, runJson, startServer, temporaryFolder } from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { receiverSecret, TestReceiver } from '../support/receiver.ts';
import { PATIENCE, pause, ROUNDS, randomOf } from './support.ts';

/** How many publications there are in each life of a server. */
const PUBLICATIONS = 4;

test(
  'a server that is killed while it sends tells everything in order, each under one id',
  async () => {
    verifies('LIB-18', 'KERN-01');
    const random = randomOf(20);
    const receiver = await TestReceiver.start();
    const data = temporaryFolder();
    const rules = temporaryFolder();
    const webhooks = JSON.stringify([{ name: 'ci', url: receiver.url, secret: receiverSecret() }]);
    const env = { INFOLD_WEBHOOKS: webhooks };
    let revision = 0;
    const publish = async () => {
      writeFileSync(join(rules, 'TIDE.md'), `# Tide\n\n## Now\n\n- ${++revision}\n`);
      const ended = await run([
        '--data',
        data,
        'library',
        'import',
        rules,
        '--publish',
        '--project',
        '/tide',
      ]);
      expect(ended).toMatchObject({ code: 0 });
    };
    for (let life = 0; life < ROUNDS; life++) {
      const server = await startServer({ data, env });
      // Some are taken, some are answered with an error, and some are on their way at the end.
      receiver.answers = () => [{}, {}, { status: 503 }, { silent: true as const }][random(4)]!;
      for (let count = 0; count < PUBLICATIONS; count++) await publish();
      await pause(random(200));
      server.process.kill('SIGKILL');
      await server.ended;
    }
    receiver.answers = () => ({});
    const last = await startServer({ data, env });
    await run(['--data', data, 'webhook', 'retry', 'ci'], { env });
    const revisions = () => receiver.taken.map(({ payload }) => payload.publication!.revision);
    const all = Array.from({ length: revision }, (_, index) => index + 1);
    await expect.poll(revisions, { timeout: 120_000, interval: 200 }).toEqual(all);
    await last.stop();
    const idsOf = new Map<number, Set<string>>();
    for (const { id, payload } of receiver.received) {
      const { revision } = payload.publication!;
      idsOf.set(revision, (idsOf.get(revision) ?? new Set()).add(id));
    }
    expect([...idsOf.values()].every((ids) => ids.size === 1)).toBe(true);
    expect(new Set([...idsOf.values()].flatMap((ids) => [...ids])).size).toBe(revision);
    expect(await runJson(data, 'verify', '--tables')).toMatchObject({ ok: true });
  },
  PATIENCE,
);
