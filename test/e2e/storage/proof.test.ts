import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from '@infold/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { run, runJson, temporaryFolder } from '../support/program.ts';

interface Key {
  id: string;
  public_key: string;
  in_use: boolean;
  endorsed_by: string | null;
}
interface Written {
  written: boolean;
  bytes: number;
  entry: Proof['entry'];
  key: string;
}
interface Checked {
  ok: boolean;
  problem?: string;
  entry?: Proof['entry'];
  body?: string;
  key: { id: string; known: boolean };
}

const keysOf = async (data: string) => (await runJson<{ keys: Key[] }>(data, 'key', 'show')).keys;

async function folderOfThree(): Promise<string> {
  const data = temporaryFolder();
  for (const name of ['one', 'two', 'three']) await runJson(data, 'project', 'add', '--name', name);
  return data;
}

/** Verifies where no journal is, unless a folder is given. */
async function check(
  file: string,
  entry: string,
  more: string[] = [],
  data = join(temporaryFolder(), 'none'),
) {
  const { code, stdout, stderr } = await run([
    ...['--data', data, '--json', 'verify', '--entry', entry, '--proof', file],
    ...more,
  ]);
  // Verifying makes nothing.
  if (data.endsWith('none')) expect(existsSync(data)).toBe(false);
  return { code, stderr, answer: (stdout === '' ? undefined : JSON.parse(stdout)) as Checked };
}

describe('verify --entry', () => {
  let data: string;
  let file: string;
  let written: Written;
  let proof: Proof;
  beforeAll(async () => {
    data = await folderOfThree();
    file = join(temporaryFolder(), 'two.json');
    written = await runJson<Written>(data, 'verify', '--entry', '2', '--proof', file);
    proof = JSON.parse(readFileSync(file, 'utf8')) as Proof;
  });

  test('writes a proof of the entry, without what it says', () => {
    verifies('KERN-03');
    expect(written).toMatchObject({ written: true, entry: { seq: 2 } });
    const text = readFileSync(file, 'utf8');
    expect(text.length).toBe(written.bytes);
    expect(text).not.toContain('two');
    expect(proof).toMatchObject({
      format: 'infold-proof/1',
      entry: { seq: 2, stream: 'access.local', rev: 2 },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('verifies it without the journal, by position or id, and says whether the key is known', async () => {
    verifies('KERN-03');
    for (const entry of ['2', written.entry.id]) {
      const away = await check(file, entry);
      expect(away).toMatchObject({ code: 0, answer: { ok: true, key: { id: written.key, known: false } } });
    }
    expect(await check(file, '2', [], data)).toMatchObject({ code: 0, answer: { key: { known: true } } });
    expect(await check(file, '2', [], await folderOfThree())).toMatchObject({
      code: 0,
      answer: { key: { known: false } },
    });
    const words = await run(['--data', join(data, 'none'), 'verify', '--entry', '2', '--proof', file]);
    expect(words.stdout).toContain(`Entry 2 (${written.entry.id} in access.local, by owner of local,`);
    expect(words.stdout).toContain('not known here');
  });

  test('holds it against a key: its id, a PEM file, or what stands in one', async () => {
    const [{ id, public_key }] = (await keysOf(data)) as [Key];
    expect(id).toBe(written.key);
    const folder = temporaryFolder();
    const [pem, bare] = [join(folder, 'key.pem'), join(folder, 'key.txt')];
    writeFileSync(pem, `-----BEGIN PUBLIC KEY-----\n${public_key}\n-----END PUBLIC KEY-----\n`);
    writeFileSync(bare, `${public_key}\n`);
    for (const key of [id, pem, bare]) {
      expect(await check(file, '2', ['--key', key])).toMatchObject({
        code: 0,
        answer: { key: { known: true } },
      });
    }
    const other = (await keysOf(await folderOfThree()))[0]!.id;
    expect(await check(file, '2', ['--key', other])).toMatchObject({
      code: 4,
      answer: { ok: false, problem: `it is signed by ${id}, not by ${other}` },
    });
    writeFileSync(bare, 'nothing of the kind');
    for (const wrong of [bare, 'key_123', join(folder, 'nowhere')]) {
      const { code, stderr } = await check(file, '2', ['--key', wrong]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('infold key show')]);
    }
  });

  test('tells with exit code 4 that a proof does not hold, or is of another entry', async () => {
    verifies('KERN-03');
    const folder = temporaryFolder();
    const bad = join(folder, 'bad.json');
    const changes: [unknown, RegExp][] = [
      [{ ...proof, entry: { ...proof.entry, at: proof.entry.at + 1 } }, /does not lead to the root/],
      [{ ...proof, entry: { ...proof.entry, digest: proof.previous } }, /does not lead to the root/],
      [{ ...proof, checkpoint: { ...proof.checkpoint, seq: 4 } }, /does not lead to the root|not signed/],
      [{ ...proof, checkpoint: { ...proof.checkpoint, hash: proof.previous } }, /not signed by the key/],
      [{ ...proof, body: { salt: '00', data: '{}' } }, /body is not the one/],
      [{ ...proof, more: 1 }, /holds no proof/],
      ['nothing', /holds no proof/],
    ];
    for (const [value, problem] of changes) {
      writeFileSync(bad, JSON.stringify(value));
      expect(await check(bad, '2')).toMatchObject({
        code: 4,
        answer: { ok: false, problem: expect.stringMatching(problem) },
      });
    }
    writeFileSync(bad, '{ broken');
    expect((await check(bad, '2')).code).toBe(4);
    for (const entry of ['3', 'another']) {
      expect(await check(file, entry)).toMatchObject({
        code: 4,
        answer: { problem: expect.stringContaining('it is of entry 2') },
      });
    }
    const words = await run(['verify', '--entry', '3', '--proof', file, '--data', folder]);
    expect([words.code, words.stdout]).toEqual([4, expect.stringContaining('does not prove entry 3')]);
  });

  test('shows what the entry says where that was asked for', async () => {
    const whole = join(temporaryFolder(), 'whole.json');
    await runJson(data, 'verify', '--entry', written.entry.id, '--proof', whole, '--with-body');
    const { answer } = await check(whole, '2');
    expect(JSON.parse(answer.body!)).toMatchObject({
      events: [{ type: 'project.added', data: { name: 'two' } }],
    });
    const { salt, data: text } = (JSON.parse(readFileSync(whole, 'utf8')) as Proof).body!;
    const digest = createHash('sha256').update(Buffer.from(salt, 'hex')).update(text).digest('hex');
    expect(digest).toBe(proof.entry.digest);
  });

  test.each([
    ['no file', ['--entry', '2'], 2, '--entry ID --proof FILE'],
    ['no entry', ['--proof', 'x'], 2, '--entry ID --proof FILE'],
    ['an entry that is not there', ['--entry', '99', '--proof', 'x'], 1, 'There is no entry 99'],
    ['an id that is not there', ['--entry', 'nobody', '--proof', 'x'], 1, 'There is no entry nobody'],
    [
      'a key and nothing to hold against it',
      ['--entry', '2', '--proof', 'x', '--key', 'y'],
      2,
      'does not exist; --key verifies an existing proof',
    ],
  ])('%s', async (_what, flags, code, message) => {
    const folder = temporaryFolder();
    const ended = await run(['--data', data, 'verify', ...flags], { cwd: folder });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('key', () => {
  test('show makes the first one; rotate hands on, and what the old one signed still verifies', async () => {
    const data = await folderOfThree();
    const [first] = (await keysOf(data)) as [Key];
    expect(first).toMatchObject({ in_use: true, endorsed_by: null });
    const file = join(temporaryFolder(), 'proof.json');
    await runJson(data, 'verify', '--entry', '1', '--proof', file);
    const rotated = await runJson<{ from: string; to: string }>(data, 'key', 'rotate');
    expect(rotated.from).toBe(first.id);
    expect(await keysOf(data)).toMatchObject([
      { id: first.id, in_use: false },
      { id: rotated.to, in_use: true, endorsed_by: first.id },
    ]);
    expect(readdirSync(join(data, 'keys'))).toEqual([`${rotated.to}.pem`]);
    expect(await check(file, '1', [], data)).toMatchObject({ code: 0, answer: { key: { known: true } } });
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true, entries: 4 });
    const words = await run(['--data', data, 'key', 'show']);
    expect(words.stdout).toMatch(/former[\s\S]*in use[\s\S]*-----BEGIN PUBLIC KEY-----/);
  });

  test('is in backups, unless it is left out, and forgetting does not touch it', async () => {
    const data = await folderOfThree();
    const [{ id }] = (await keysOf(data)) as [Key];
    await runJson(data, 'forget', '--principal', 'owner');
    expect((await keysOf(data)).map((key) => key.id)).toEqual([id]);
    const folder = temporaryFolder();
    for (const [name, flags] of [
      ['with', []],
      ['without', ['--without-key']],
    ] as const) {
      await runJson(data, 'backup', join(folder, name), ...flags);
      const restored = join(folder, `restored ${name}`);
      await runJson(restored, 'restore', join(folder, name));
      const keys = (await keysOf(restored)).map((key) => key.id);
      expect(keys[0]).toBe(id);
      expect(keys.length).toBe(name === 'with' ? 1 : 2);
      expect(await runJson(restored, 'verify')).toMatchObject({ ok: true });
    }
  });

  test('that others may read is told by doctor', async () => {
    const data = await folderOfThree();
    const [{ id }] = (await keysOf(data)) as [Key];
    chmodSync(join(data, 'keys', `${id}.pem`), 0o644);
    const { stdout } = await run(['--data', data, '--json', 'doctor'], { env: { INFOLD_PORT: '0' } });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] };
    expect(checks.find(({ name }) => name === 'permissions')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining(`${id}.pem`),
    });
  });

  test('is the same for processes that need it first at once', async () => {
    verifies('KERN-02');
    const data = await folderOfThree();
    const shown = await Promise.all(Array.from({ length: 6 }, () => keysOf(data)));
    expect(new Set(shown.map((keys) => keys.map(({ id }) => id).join())).size).toBe(1);
    expect(readdirSync(join(data, 'keys'))).toHaveLength(1);
  });

  test('of a folder that is not there is not made', async () => {
    const data = join(temporaryFolder(), 'nowhere');
    for (const command of ['show', 'rotate']) {
      expect((await run(['--data', data, 'key', command])).code).toBe(1);
    }
    expect(existsSync(data)).toBe(false);
  });
});
