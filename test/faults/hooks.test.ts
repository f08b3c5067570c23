import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpool } from '../../packages/server/src/hooks/delivery/spool.ts';
import { hook, SILENT, toolUse, waiting } from '../e2e/support/hooks.ts';
import { runJson, type Server, startServer, temporaryFolder, until } from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { everyRound, PATIENCE, pause, ROUNDS, randomOf } from './support.ts';

const LONG_WAIT = 60_000;

/** The ids of all calls that were counted, as often as they were. */
async function counted({ url }: Server): Promise<string[]> {
  const get = async (path: string) =>
    (await fetch(`${url}${path}`)).json() as Promise<Record<string, unknown>>;
  const { sessions } = (await get('/api/sessions')) as { sessions: { id: string }[] };
  const found: string[] = [];
  for (const { id } of sessions) {
    let cursor: string | undefined;
    do {
      const page = await get(`/api/sessions/${id}/entries?limit=100${cursor ? `&cursor=${cursor}` : ''}`);
      for (const [, callId] of JSON.stringify(page.entries).matchAll(/"call_id":"(call-\d+)"/g))
        found.push(callId!);
      cursor = page.next as string | undefined;
    } while (cursor);
  }
  return found.sort();
}

const idsOf = (count: number) => Array.from({ length: count }, (_, number) => `call-${100 + number}`);

test('a server that is killed while hooks speak loses none of them, and counts none twice', {
  timeout: PATIENCE,
}, async () => {
  verifies('HOST-02', 'HOST-05');
  await everyRound(async (round) => {
    const random = randomOf(round + 1);
    const server = await startServer();
    const { data } = server;
    await until(() => existsSync(join(data, 'hooks.sock')), LONG_WAIT);
    const ids = idsOf(6);
    const killed = pause(random(500)).then(() => server.process.kill('SIGKILL'));
    const spoken = ids.map(async (id) => {
      await pause(random(300));
      expect(await hook(data, 'claude-code', 'PostToolUse', toolUse(id))).toMatchObject(SILENT);
    });
    await Promise.all([...spoken, killed, server.ended]);
    const next = await startServer({ data });
    await until(() => waiting(data).length === 0, LONG_WAIT);
    expect(await counted(next)).toEqual(ids);
    await next.stop();
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true });
    rmSync(data, { recursive: true, force: true });
  });
});

/** What hooks would have left. */
function fill(data: string, ids: readonly string[]): void {
  mkdirSync(join(data, 'spool'), { recursive: true });
  for (const [place, id] of ids.entries()) {
    const at = Date.now() - 1000 + place;
    const payload = JSON.stringify(toolUse(id));
    const message = {
      v: 1,
      id: `report-${id}`,
      host: 'claude-code',
      event: 'PostToolUse',
      at,
      env: {},
      payload,
    };
    const text = JSON.stringify(message);
    writeFileSync(join(data, 'spool', `${at}-${text.length}-${id}.json`), text);
  }
}

test('a server that is killed while it takes in what waited loses none, and counts none twice', {
  timeout: PATIENCE,
}, async () => {
  verifies('HOST-02', 'HOST-05');
  let deaths = 0;
  const killOnce = async (round: number) => {
    const random = randomOf(round + 1);
    const data = temporaryFolder();
    const ids = idsOf(150);
    fill(data, ids);
    const server = await startServer({ data });
    const rest = 40 + random(100);
    await until(() => waiting(data).length <= rest, LONG_WAIT);
    server.process.kill('SIGKILL');
    await server.ended;
    if (waiting(data).length > 0) deaths++;
    const next = await startServer({ data });
    await until(() => waiting(data).length === 0, LONG_WAIT);
    expect(await counted(next)).toEqual(ids);
    await next.stop();
  };
  await everyRound(killOnce);
  // Where this process stood still for a moment in each of them, the servers had taken in everything before they died.
  for (let round = ROUNDS; deaths === 0 && round < ROUNDS + 20; round++) await killOnce(round);
  expect(deaths).toBeGreaterThan(0);
});

test('a spool that is full stays as it is: what is lost is counted, and nothing else is noticed', async () => {
  verifies('HOST-02');
  const data = temporaryFolder();
  fill(data, idsOf(2));
  const large = join(data, 'spool', `1-${16 * 1024 * 1024}-large.json`);
  writeFileSync(large, 'no report');
  for (const id of ['call-900', 'call-901', 'call-902']) {
    expect(await hook(data, 'claude-code', 'PostToolUse', toolUse(id))).toMatchObject(SILENT);
  }
  expect(waiting(data)).toHaveLength(3);
  expect(readSpool(data)).toMatchObject({ waiting: 3, isFull: true, dropped: 3 });
  expect(statSync(join(data, 'spool', 'dropped')).mode & 0o777).toBe(0o600);
  const server = await startServer({ data });
  await until(() => waiting(data).length === 0, LONG_WAIT);
  expect(await counted(server)).toEqual(idsOf(2));
  await server.stop();
  // There is room again, and it is still told what was lost.
  expect(await hook(data, 'claude-code', 'PostToolUse', toolUse('call-903'))).toMatchObject(SILENT);
  expect(readSpool(data)).toMatchObject({ waiting: 1, isFull: false, dropped: 3 });
});

test('so does one with too many events', async () => {
  verifies('HOST-02');
  const data = temporaryFolder();
  mkdirSync(join(data, 'spool'));
  for (let number = 0; number < 2000; number++) writeFileSync(join(data, 'spool', `${number}-1-a.json`), '');
  expect(readSpool(data).isFull).toBe(true);
  expect(await hook(data, 'claude-code', 'PostToolUse', toolUse('call-900'))).toMatchObject(SILENT);
  expect(readSpool(data)).toMatchObject({ waiting: 2000, dropped: 1 });
  expect(readdirSync(join(data, 'spool'))).toHaveLength(2001);
});
