import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';
import { run, startServer, temporaryFolder } from '../support/program.ts';

describe.skipIf(natsServer === undefined)(`infold migrate ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  beforeAll(async () => {
    nats = await startNats();
  }, 120_000);
  afterAll(() => nats?.stop());

  const infold = async (data: string, ...args: string[]) => {
    const { stdout, stderr, code } = await run([...args, '--data', data, '--json']);
    return { code, stderr, answer: stdout === '' ? undefined : JSON.parse(stdout) };
  };
  const head = async (data: string) => (await infold(data, 'verify')).answer.head;

  test('moves a data folder into a cluster and back, with the same head', async () => {
    verifies('CLU-07');
    const [data, other] = [temporaryFolder(), temporaryFolder()];
    for (const name of ['one', 'two', 'three']) await infold(data, 'project', 'add', '--name', name);
    const lines = ['a wren', 'a heron', 'b'.repeat(300_000)];
    for (const content of lines) await run(['memory', 'import', '-', '--data', data], { input: content });
    const token = await infold(data, 'token', 'create', '--name', 'kept');
    expect(token.code).toBe(0);
    const before = await head(data);

    const moved = await infold(data, 'migrate', '--to', 'nats', '--nats', nats.url);
    expect(moved).toMatchObject({ code: 0, answer: { to: 'nats', entries: before.seq, head: before.hash } });
    expect(await head(data)).toEqual(before);
    // A folder belongs to one or the other.
    expect((await infold(data, 'project', 'add', '--name', 'alone')).code).toBe(1);
    const again = await infold(data, 'migrate', '--to', 'nats', '--nats', nats.url);
    expect(again.code).toBe(1);

    const node = await startServer({ data: other, args: ['--nats', nats.url] });
    expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
    await node.stop();
    expect(await head(other)).toEqual(before);

    const back = await infold(data, 'migrate', '--to', 'sqlite', '--nats', nats.url);
    expect(back).toMatchObject({ code: 0, answer: { to: 'sqlite', entries: before.seq, head: before.hash } });
    expect((await infold(data, 'project', 'add', '--name', 'alone')).code).toBe(0);
    expect((await head(data)).seq).toBe(before.seq + 1);
    expect(await head(other)).toEqual(before);
  }, 120_000);

  test('says what it needs, and changes nothing', async () => {
    const data = temporaryFolder();
    await infold(data, 'project', 'add', '--name', 'one');
    const before = await head(data);
    const without = await run(['migrate', '--to', 'nats', '--data', data]);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--nats nats://')]);
    const elsewhere = await run(['migrate', '--to', 'paper', '--nats', nats.url, '--data', data]);
    expect(elsewhere.stderr).toContain('"nats" or "sqlite"');
    expect((await run(['migrate', '--to', 'sqlite', '--nats', nats.url, '--data', data])).code).toBe(1);
    expect(await head(data)).toEqual(before);
  }, 120_000);
});
