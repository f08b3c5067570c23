import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../packages/server/src/kernel/sqlite.ts';
import { Peer } from '../e2e/support/gateway.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  startServer,
  temporaryFolder,
  until,
} from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import {
  canMount,
  mountSmall,
  PATIENCE,
  temporaryFolder as plainFolder,
  ROUNDS,
  unmount,
} from './support.ts';

const WAIT = 1000;
const POD_TOOLS = ['--toolsets', 'fold,gateway'];
const configuration = () => {
  const path = join(temporaryFolder(), 'infold.config.json');
  writeFileSync(path, JSON.stringify({ limits: { lockWait: WAIT } }));
  return ['--config', path, ...POD_TOOLS];
};
const timed = async <Answer>(work: Promise<Answer>): Promise<{ answer: Answer; took: number }> => {
  const started = performance.now();
  const answer = await work;
  return { answer, took: performance.now() - started };
};

interface Failure {
  begin(): unknown;
  end(): void;
  cause: RegExp;
}

describe('while the journal cannot be written', () => {
  /** Everything that a pod does answers within its wait, and says what is wrong; reading goes on; then all is as before. */
  async function expectAnswers(data: string, { begin, end, cause }: Failure): Promise<void> {
    const args = configuration();
    const server = await startServer({ data, args });
    const http = await connectHttp(`${server.url}/mcp`, '2026');
    const { client } = await connectStdio('2026', data, args);
    const bob = await Peer.join(server.url, { pod: 'p', participant: 'bob' });
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    const store = async (id: string) => {
      bob.send({ id, kind: 'chat', payload: {} });
      await bob.next(({ kind, payload }) => kind === 'system/stored' && JSON.stringify(payload).includes(id));
    };
    const stored = ['before'];
    await store('before');
    const messages = () =>
      fetch(`${server.url}/api/pods/p/messages?limit=1000`).then(
        (response) => response.json() as Promise<{ messages: { envelope: { id: string } }[] }>,
      );
    for (let round = 0; round < ROUNDS; round++) {
      await begin();
      try {
        alice.send({ id: `live-${round}`, kind: 'chat', payload: { text: 'heard' } });
        // Later this process may have lost its right to give out positions, which it could not renew.
        if (round === 0) expect(await alice.message('live-0')).toMatchObject({ from: 'alice' });
        const sent = await Promise.all(
          [http, client].map((one) => timed(callTool(one, 'pod_send', { pod: 'p', text: 'not stored' }))),
        );
        for (const { answer, took } of sent) {
          expect(answer.structuredContent).toMatchObject({ code: 'not_stored', reason: 'not_stored' });
          expect(answer.structuredContent.cause).toMatch(cause);
          expect(answer.structuredContent.retryable).toBe(true);
          expect(took).toBeLessThan(WAIT + 3000);
        }
        expect(await alice.error(`live-${round}`)).toMatchObject({ error: 'not_stored' });
        const reads = await Promise.all([
          timed(messages()),
          timed(fetch(`${server.url}/api/pods/p/contexts`).then((response) => response.json())),
          timed(callTool(http, 'pod_read', { pod: 'p' })),
        ]);
        expect(reads[0].answer.messages.map(({ envelope }) => envelope.id)).toEqual(stored);
        for (const { took } of reads) expect(took).toBeLessThan(WAIT);
      } finally {
        end();
      }
      await store(`after-${round}`);
      stored.push(`after-${round}`);
      bob.frames.length = 0;
      alice.frames.length = 0;
    }
    await server.stop();
  }

  test('because another process holds the lock, pods answer within their wait', {
    timeout: PATIENCE,
  }, async () => {
    verifies('KERN-02', 'SUB-09');
    const data = temporaryFolder();
    let database: Database | undefined;
    await expectAnswers(data, {
      begin: async () => {
        database ??= await openDatabase(join(data, 'infold.db'));
        database.exec('BEGIN IMMEDIATE');
      },
      end: () => database!.exec('ROLLBACK'),
      cause: /journal_busy/,
    });
    database!.close();
  });

  test.runIf(canMount)(
    'because the disk is full, pods answer within their wait',
    { timeout: PATIENCE },
    async () => {
      const data = plainFolder();
      mountSmall(data, 24);
      const filler = join(data, 'filler');
      const fill = () => {
        for (const size of [1_000_000, 4096, 1]) {
          try {
            for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
          } catch {
            // Full.
          }
        }
      };
      try {
        await expectAnswers(data, {
          begin: fill,
          end: () => rmSync(filler),
          cause: /disk_full|storage_failed/,
        });
      } finally {
        unmount(data);
      }
    },
  );
});

test('a flood of large messages leaves the memory of the server where it was', {
  timeout: PATIENCE,
}, async () => {
  verifies('SUB-08');
  const count = Math.max(150, 2 * ROUNDS);
  const server = await startServer({ env: { NODE_OPTIONS: '--max-old-space-size=256' } });
  const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
  const payload = { text: 'the gateway carries words '.repeat(40_000).slice(0, 1_000_000) };
  let answered = 0;
  alice.socket.on('message', (data: Buffer) => {
    const isAnswer = data.length > 500_000 || data.subarray(0, 300).includes('system/error');
    if (isAnswer) answered++;
  });
  const resident = () => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  };
  for (let sent = 0; sent < count; sent++) {
    alice.send({ id: `m-${sent}`, kind: 'chat', payload });
    alice.frames.length = 0;
    // Fewer at once than fill the buffer of a reader, which would be closed as too slow.
    await until(() => sent + 1 - answered < 3, 60_000);
  }
  await until(() => answered >= count, 60_000);
  expect(resident()).toBeLessThan(330);
});
