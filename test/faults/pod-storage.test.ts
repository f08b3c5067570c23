import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../packages/server/src/kernel/sqlite.ts';
import { Peer } from '../e2e/gateway-support.ts';
import { callTool, connectHttp, connectStdio, startServer, temporaryFolder, until } from '../e2e/support.ts';
import { verifies } from '../requirements.ts';
import { canMount, LONG, mountSmall, temporaryFolder as plainFolder, unmount } from './support.ts';

const WAIT = 1500;
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

describe('while the journal cannot be written', () => {
  /** Everything that a pod does answers within its wait, and says what is wrong; reading goes on. */
  async function expectAnswers(server: { url: string }, data: string, cause: RegExp, args: string[]) {
    const http = await connectHttp(`${server.url}/mcp`, '2026');
    const { client } = await connectStdio('2026', data, args);
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    alice.send({ id: 'live', kind: 'chat', payload: { text: 'heard' } });
    expect(await alice.message('live')).toMatchObject({ from: 'alice' });
    const sent = await Promise.all(
      [http, client].map((one) => timed(callTool(one, 'pod_send', { pod: 'p', text: 'not stored' }))),
    );
    for (const { answer, took } of sent) {
      expect(answer.structuredContent).toMatchObject({ code: 'not_stored', reason: 'not_stored' });
      expect(answer.structuredContent.cause).toMatch(cause);
      expect(answer.structuredContent.retryable).toBe(true);
      expect(took).toBeLessThan(WAIT + 3000);
    }
    expect(await alice.error('live')).toMatchObject({ error: 'not_stored' });
    const reads = await Promise.all([
      timed(fetch(`${server.url}/api/pods/p/messages`).then((response) => response.json())),
      timed(fetch(`${server.url}/api/pods/p/contexts`).then((response) => response.json())),
      timed(callTool(http, 'pod_read', { pod: 'p' })),
    ]);
    expect(reads[0].answer).toMatchObject({ messages: [{ envelope: { id: 'before' } }] });
    for (const { took } of reads) expect(took).toBeLessThan(WAIT);
  }

  test('because another process holds the lock, pods answer within their wait', async () => {
    verifies('KERN-02', 'SUB-09');
    const data = temporaryFolder();
    const args = configuration();
    const server = await startServer({ data, args });
    const bob = await Peer.join(server.url, { pod: 'p', participant: 'bob' });
    bob.send({ id: 'before', kind: 'chat', payload: {} });
    await bob.next(({ kind }) => kind === 'system/stored');
    const database = await openDatabase(join(data, 'infold.db'));
    database.exec('BEGIN IMMEDIATE');
    try {
      await expectAnswers(server, data, /journal_busy/, args);
    } finally {
      database.exec('ROLLBACK');
      database.close();
    }
    bob.send({ id: 'after', kind: 'chat', payload: {} });
    await bob.next(
      ({ kind, payload }) => kind === 'system/stored' && JSON.stringify(payload).includes('after'),
    );
  });

  test.runIf(canMount)('because the disk is full, pods answer within their wait', async () => {
    const data = plainFolder();
    mountSmall(data, 4);
    try {
      const args = configuration();
      const server = await startServer({ data, args });
      const bob = await Peer.join(server.url, { pod: 'p', participant: 'bob' });
      bob.send({ id: 'before', kind: 'chat', payload: {} });
      await bob.next(({ kind }) => kind === 'system/stored');
      const filler = join(data, 'filler');
      for (const size of [1_000_000, 4096, 1]) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // Full.
        }
      }
      await expectAnswers(server, data, /disk_full|storage_failed/, args);
      await server.stop();
    } finally {
      unmount(data);
    }
  });
});

test('a flood of large messages leaves the memory of the server where it was', async () => {
  verifies('SUB-08');
  const count = LONG ? 900 : 150;
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
