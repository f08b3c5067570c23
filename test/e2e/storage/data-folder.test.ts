import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openToOthers } from '../../../packages/server/src/kernel/private-files.ts';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import {
  connectHttp,
  type RunOptions,
  run,
  runJson,
  startServer,
  temporaryFolder,
} from '../support/program.ts';

const COMMANDS = [['serve', '--port', '0'], ['stdio'], ['verify'], ['token', 'list']];

/** Each command that opens the folder says what is wrong in one line, and ends with 1. */
async function expectOneLine(data: string, message: RegExp, options: RunOptions = {}): Promise<void> {
  const ended = COMMANDS.map((command) => run([...command, '--data', data], options));
  for (const [index, command] of COMMANDS.entries()) {
    const { code, stdout, stderr } = await ended[index]!;
    expect(`${command[0]} ${code}`).toBe(`${command[0]} 1`);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^infold: [^\n]+\n$/);
    expect(stderr).toMatch(message);
    expect(stderr).toContain(data);
  }
}

async function madeFolder(): Promise<string> {
  const data = temporaryFolder();
  await runJson(data, 'project', 'add', '--name', 'shop');
  return data;
}

describe('what the program keeps', () => {
  /** Runs with a umask that takes nothing away, as some containers have it. */
  async function openHanded<T>(work: () => Promise<T>): Promise<T> {
    const before = process.umask(0);
    try {
      return await work();
    } finally {
      process.umask(before);
    }
  }

  test("is its owner's alone, whatever the umask: database, log, blobs, scratch, backup and what was restored", async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    const records = join(folder, 'activity.jsonl');
    writeFileSync(records, Array.from({ length: 9 }, (_, id) => `{"id":${id}}`).join('\n'));
    const config = join(folder, 'infold.config.json');
    writeFileSync(config, JSON.stringify({ sources: { activity: { type: 'jsonl', path: records } } }));
    const backup = join(folder, 'copy.infold');
    const restored = join(folder, 'restored');
    await openHanded(async () => {
      const server = await startServer({ data, args: ['--config', config] });
      const client = await connectHttp(`${server.url}/mcp`, '2025');
      await client.callTool({ name: 'remember', arguments: { content: 'größe '.repeat(40_000) } });
      await client.callTool({ name: 'search_records', arguments: { model: 'activity', lean: true } });
      // While it serves, so that the write-ahead log is there.
      expect(openToOthers(data)).toEqual([]);
      expect(readdirSync(data).sort()).toEqual(
        expect.arrayContaining(['blobs', 'infold.db', 'infold.db-wal', 'records']),
      );
      await server.stop();
      await run(['--data', data, 'backup', backup]);
      await run(['--data', restored, 'restore', backup]);
    });
    expect([...openToOthers(backup), ...openToOthers(restored)]).toEqual([]);
    expect(await runJson(restored, 'verify')).toMatchObject({ ok: true });
  });

  test('by an earlier version with wider permissions is closed when it is opened, and doctor tells of the rest', async () => {
    const data = await madeFolder();
    const note = join(data, 'note.txt');
    writeFileSync(note, 'somebody put this here', { mode: 0o644 });
    for (const name of ['', 'infold.db']) chmodSync(join(data, name), name === '' ? 0o755 : 0o644);
    const { stdout } = await run(['--data', data, '--json', 'doctor'], { env: { INFOLD_PORT: '0' } });
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === 'permissions')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('note.txt'),
    });
    expect(openToOthers(data)).toEqual([note]);
  });
});

describe('a data folder that may only be read', () => {
  test('can be verified and searched, and says so where something would be written', async () => {
    const data = await madeFolder();
    const remembered = 'The deploy key rotates on Mondays';
    const file = join(temporaryFolder(), 'items.jsonl');
    writeFileSync(file, JSON.stringify({ content: remembered }));
    await runJson(data, 'memory', 'import', file);
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    chmodSync(join(data, 'infold.db'), 0o444);
    chmodSync(data, 0o555);
    const answer = async (...args: string[]) => run(['--data', data, '--json', ...args], nobody);
    expect(JSON.parse((await answer('verify', '--tables')).stdout)).toMatchObject({
      ok: true,
      tables: { ok: true },
    });
    expect((await answer('memory', 'search', 'deploy key')).stdout).toContain(remembered);
    expect(JSON.parse((await answer('project', 'list')).stdout)).toMatchObject({
      projects: [{ name: 'shop' }],
    });
    for (const command of [['project', 'add', '--name', 'more'], ['serve', '--port', '0'], ['stdio']]) {
      const { code, stderr } = await answer(...command);
      expect(`${command[0]} ${code}`).toBe(`${command[0]} 1`);
      expect(stderr).toContain('read-only');
    }
    chmodSync(data, 0o755);
  });
});

test('a data folder that is not there is not made by a command that only looks, and not taken for an empty one', async () => {
  const data = join(temporaryFolder(), 'mistyped');
  const commands = [
    ['verify'],
    ['rebuild'],
    ['backup', join(temporaryFolder(), 'copy')],
    ['sessions'],
    ['token', 'list'],
    ['project', 'list'],
    ['memory', 'search', 'x'],
    ['memory', 'export'],
    ['pod', 'contexts', 'p'],
    ['denials'],
  ];
  for (const command of commands) {
    const { code, stderr } = await run(['--data', data, ...command]);
    expect(`${command.join(' ')}: ${code}`).toBe(`${command.join(' ')}: 1`);
    expect(stderr).toContain(`There is no data folder ${data}`);
  }
  expect(existsSync(data)).toBe(false);
  await runJson(data, 'project', 'add', '--name', 'shop');
  expect(await runJson(data, 'verify')).toMatchObject({ ok: true, entries: 1 });
});

describe('a data folder that cannot be used', () => {
  test('a file in its place', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'text');
    await expectOneLine(file, /Cannot create|not a folder/);
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  test('a file above its place', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'text');
    await expectOneLine(join(file, 'data'), /Cannot create|no data folder/);
  });

  test('one that may only be read, before there is anything in it', async () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const empty = temporaryFolder();
    chmodSync(empty, 0o555);
    await expectOneLine(empty, /read-only|cannot be opened or created|may not/, nobody);
    chmodSync(empty, 0o755);
  });

  test('a file that is not a database', async () => {
    const data = temporaryFolder();
    const content = 'this is not a database, but it is somebody’s file\n'.repeat(100);
    writeFileSync(join(data, 'infold.db'), content);
    await expectOneLine(data, /not an Infold database/);
    expect(readFileSync(join(data, 'infold.db'), 'utf8')).toBe(content);
  });

  test('a database of another program', async () => {
    const data = temporaryFolder();
    const database = await openDatabase(join(data, 'infold.db'));
    database.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)');
    database.close();
    const before = readFileSync(join(data, 'infold.db'));
    await expectOneLine(data, /belongs to another program/);
    expect(readFileSync(join(data, 'infold.db')).equals(before)).toBe(true);
  });

  test('one that a newer version wrote', async () => {
    const data = await madeFolder();
    const database = await openDatabase(join(data, 'infold.db'));
    database.exec('UPDATE journal_head SET schema = 999');
    database.close();
    await expectOneLine(data, /newer Infold \(schema 999.*[Uu]pgrade/);
  });

  test('a folder where the database should be', async () => {
    const data = temporaryFolder();
    mkdirSync(join(data, 'infold.db'));
    await expectOneLine(data, /cannot be opened/);
  });

  test('doctor says so too, with advice', async () => {
    const data = temporaryFolder();
    writeFileSync(join(data, 'infold.db'), 'this is not a database');
    const { code, stdout } = await run(['doctor', '--data', data, '--json']);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; advice?: string }[] };
    expect(checks.find(({ name }) => name === 'data folder')).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('--data'),
    });
  });
});

describe('a port that cannot be used', () => {
  test('taken by another Infold: says so, and what to type instead', async () => {
    const server = await startServer();
    const { code, stderr, stdout } = await run([
      'serve',
      '--port',
      `${server.port}`,
      '--data',
      temporaryFolder(),
    ]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^infold: [^\n]+\n$/);
    expect(stderr).toContain(`Port ${server.port} is taken by another Infold (version `);
    expect(stderr).toContain(`infold serve --port ${server.port + 1}`);
    expect(stderr).toContain(`npm start -- --port ${server.port + 1}`);
  });

  test('taken by another program: says which, where the system tells', async () => {
    const { createServer } = await import('node:net');
    const other = createServer((socket) => socket.resume());
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    const { code, stderr } = await run(['serve', '--port', `${port}`, '--data', temporaryFolder()]);
    await new Promise((resolve) => other.close(resolve));
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^infold: Port ${port} is taken[^\\n]*--port ${port + 1}[^\\n]*\\n$`));
    expect(stderr).not.toContain('another Infold');
    if (process.platform === 'linux') expect(stderr).toContain(`process ${process.pid}`);
  });

  test('an address that this machine does not have', async () => {
    const data = temporaryFolder();
    await runJson(data, 'token', 'create', '--name', 'alice');
    const { code, stderr } = await run(['serve', '--port', '0', '--host', '203.0.113.7', '--data', data]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^infold: This machine has no address 203\.0\.113\.7[^\n]*\n$/);
  });
});
