import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { callTool, connectStdio, run, runJson, temporaryFolder } from '../support/program.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/library', import.meta.url));
const PROJECT = '/home/me/shop';
const HOST_ID = 'thread-7';
const REASON = 'Totals were off by a cent';

interface Written {
  file: string;
  bytes: number;
  session_id: string;
  loaded: number;
  declared: number;
  key: string;
}
interface Verified {
  ok: boolean;
  problem?: string;
  key: { id: string; known: boolean };
  session: { id: string; host_ids: string[] };
  in_force: { revision: number; proven: boolean; files: { path: string }[] }[];
  loaded: { path: string; revision: number; proven: boolean }[];
  declared: { path: string; proven: boolean }[];
}

/** Verifies where no data folder is, unless one is given. */
async function verify(file: string, more: string[] = [], data = join(temporaryFolder(), 'none')) {
  const { code, stdout, stderr } = await run(['--data', data, '--json', 'attest', 'verify', file, ...more]);
  // Verifying makes nothing.
  if (data.endsWith('none')) expect(existsSync(data)).toBe(false);
  return { code, stderr, answer: (stdout === '' ? undefined : JSON.parse(stdout)) as Verified };
}

describe('attest prove', () => {
  const data = temporaryFolder();
  const file = join(temporaryFolder(), 'session.proof');
  let written: Written;
  beforeAll(async () => {
    await runJson(data, 'library', 'import', EXAMPLE, '--publish', '--project', PROJECT);
    const { client } = await connectStdio('2025', data, ['--project', PROJECT]);
    await callTool(client, 'memory_setup', { session_id: HOST_ID });
    const found = await callTool(client, 'memory_discover', { query: 'rounding' });
    const [{ id }] = (found.structuredContent as { items: [{ id: string }] }).items;
    const loaded = await callTool(client, 'memory_load', { ids: [id], knownHashes: { [id]: '' } });
    const [item] = (loaded.structuredContent as { items: [{ constraints: [{ id: string }] }] }).items;
    const refs = [{ ruleId: id, constraintId: item.constraints[0].id, reason: REASON }];
    await callTool(client, 'memory_refer', { refs });
    await callTool(client, 'memory_submit', { summary: 'Rounded at the end' });
    await client.close();
    written = await runJson<Written>(data, 'attest', 'prove', HOST_ID, file);
  });

  test('writes a file of a session, named by its host, that holds no text', async () => {
    verifies('LIB-19');
    expect(written).toMatchObject({ loaded: 1, declared: 1, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(REASON);
    expect(text).not.toContain('Rounded');
    const again = await run(['--data', data, 'attest', 'prove', written.session_id, file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
    const unknown = await run(['--data', data, 'attest', 'prove', 'nobody', `${file}.other`]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Session not found: nobody')]);
    expect(existsSync(`${file}.other`)).toBe(false);
  });

  test('is verified without the data folder, which only tells whose key it is', async () => {
    verifies('LIB-19');
    const { code, answer } = await verify(file);
    expect(code).toBe(0);
    expect(answer).toMatchObject({
      ok: true,
      key: { id: written.key, known: false },
      session: { id: written.session_id, host_ids: [HOST_ID] },
      in_force: [{ revision: 1, proven: true }],
      loaded: [{ path: 'coding/MONEY.md', revision: 1, proven: true }],
      declared: [{ path: 'coding/MONEY.md', proven: false }],
    });
    expect(answer.in_force[0]!.files.map(({ path }) => path)).toContain('META_PROMPT.md');
    expect((await verify(file, [], data)).answer.key.known).toBe(true);
    expect((await verify(file, ['--key', written.key])).answer.key.known).toBe(true);
    const other = `key_${'0'.repeat(32)}`;
    expect(await verify(file, ['--key', other])).toMatchObject({
      code: 4,
      answer: { ok: false, problem: `it is signed by ${written.key}, not by ${other}` },
    });
    const words = await run(['--data', join(data, 'none'), 'attest', 'verify', file]);
    expect(words.stdout).toMatch(
      /In force from entry \d+ on .*: revision 1, \d+ files, proven, as entry \d+ recorded/,
    );
    expect(words.stdout).toMatch(/Loaded:\n {2}proven {2}\S+ {2}coding\/MONEY.md \w{12} revision 1/);
    expect(words.stdout).toMatch(/Declared:\n {2}stated {2}\S+ {2}coding\/MONEY.md/);
    expect(words.stdout).toContain('not known here');
  });

  test('shows the texts where that was asked for, and then proves what was declared', async () => {
    const whole = join(temporaryFolder(), 'whole.proof');
    await runJson(data, 'attest', 'prove', HOST_ID, whole, '--with-content');
    expect(readFileSync(whole, 'utf8')).toContain(REASON);
    expect((await verify(whole)).answer.declared).toMatchObject([{ proven: true }]);
  });

  test('a file that does not hold is refused with exit code 4 and a sentence', async () => {
    verifies('LIB-19');
    const bad = join(temporaryFolder(), 'bad.proof');
    const text = readFileSync(file, 'utf8');
    const latin = Buffer.from(text);
    latin[text.indexOf('MONEY')] = 0xff;
    const files: [string | Buffer, RegExp][] = [
      [text.replace('coding/MONEY.md', 'coding/HONEY.md'), /not what was written|not as it was signed/],
      [text.replace(/"at":(\d)/, '"at":9'), /no path|do not lead|not the one that was written/],
      [latin, /no session proof/],
      ['{}', /no session proof/],
      [`${text}\n`, /two lines/],
      ['', /no session proof/],
    ];
    for (const [content, problem] of files) {
      writeFileSync(bad, content);
      expect(await verify(bad)).toMatchObject({
        code: 4,
        answer: { ok: false, problem: expect.stringMatching(problem) },
      });
    }
    truncateSync(bad, 65 * 1024 * 1024);
    expect(await verify(bad)).toMatchObject({
      code: 4,
      answer: { problem: expect.stringContaining('more than any session proof') },
    });
    const words = await run(['attest', 'verify', bad, '--data', temporaryFolder()]);
    expect([words.code, words.stdout]).toEqual([4, expect.stringContaining('proves nothing')]);
    expect((await verify(join(data, 'nowhere'))).code).toBe(2);
  });
});
