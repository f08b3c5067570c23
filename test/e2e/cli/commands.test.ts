import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { verifies } from '../../requirements.ts';
import {
  initializeCall,
  run,
  runJson,
  start,
  startServer,
  statusCall,
  temporaryFolder,
} from '../support/program.ts';

type Values = Record<string, { value: unknown; origin: string; environment: string }>;

describe.concurrent('usage errors end with 2, with a word of help on stderr', () => {
  test.each([
    [[], /Usage: infold/],
    [['fly'], /unknown command 'fly'/],
    [['serve', '--prot', '1'], /unknown option '--prot'/],
    [['serve', '--port', 'ninety'], /A port is a whole number/],
    [['serve', '--port', '70000'], /A port is a whole number/],
    [['serve', '--port', '-1'], /A port is a whole number|argument missing/],
    [['serve', '--toolsets', 'folds'], /toolsets/],
    [['serve', '--tool-names', 'camel'], /seed, portable/],
    [['token'], /Usage: infold token/],
    [['token', 'create'], /--name/],
    [['token', 'create', '--name', '/'], /is not a token name/],
    [['token', 'create', '--name', 'a', '--scope', 'everything'], /read, write, review, admin/],
    [['token', 'create', '--name', 'a', '--expires', 'soon'], /30d/],
    [['token', 'revoke'], /missing required argument 'id'/],
    [['project', 'add'], /--name/],
    [['verify', '--log-level', 'loud'], /trace, debug/],
    [['config', '--config', '/nowhere/infold.json'], /\/nowhere\/infold\.json/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await run(['--data', temporaryFolder(), ...args]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });
});

describe.concurrent('usage errors with --json are one JSON document, as other errors are', () => {
  test.each([
    [['--json'], /A command is missing/],
    [['--json', 'install', '--bogus'], /^unknown option '--bogus'/],
    [['nosuchcommand', '--json'], /^unknown command 'nosuchcommand'/],
    [['--json', 'serve', '--port', 'abc'], /A port is a whole number/],
    [['--json', 'tree', 'a', 'b', 'c'], /^too many arguments/],
    [['--json', 'install', 'claude'], /did you mean claude-code\?/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await run(['--data', temporaryFolder(), ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: expect.stringMatching(message),
      code: 'invalid_arguments',
      retryable: false,
    });
  });
});

test('help and version are answers: on stdout, with 0', async () => {
  const help = await run(['--help']);
  expect(help.code).toBe(0);
  for (const command of ['serve', 'stdio', 'token', 'project', 'verify', 'rebuild', 'doctor', 'config']) {
    expect(help.stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
  }
  const version = await run(['--version']);
  expect(version).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

/** What an agent does in a project, so that there is something to show. */
async function beginSession(data: string): Promise<void> {
  const input = { description: 'Find the cause', prompt: 'Look', project_path: '/home/someone/shop' };
  const params = { name: 'context_branch', arguments: input };
  const lines = [initializeCall, { ...statusCall, params }];
  const host = start(['stdio', '--data', data]);
  host.process.stdin!.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  // A host that hangs up is not waited for long, so this one stays until it has its answer.
  await expect.poll(host.stdout).toContain('"isError":false');
  host.process.stdin!.end();
  await host.ended;
}

/** The program is started more than forty times, one after the other because each command may change what the next shows. */
const PATIENCE = 600_000;

test('with --json every command answers one JSON document', { timeout: PATIENCE }, async () => {
  const data = temporaryFolder();
  await beginSession(data);
  const { id } = await runJson<{ id: string }>(data, 'token', 'create', '--name', 'alice');
  const commands = [
    ['token', 'list'],
    ['token', 'revoke', id],
    ['project', 'add', '--name', 'garden'],
    ['project', 'list'],
    ['sessions'],
    ['tree'],
    ['init'],
    ['library', 'status'],
    ['attest', 'report'],
    ['memory', 'search', 'garden'],
    ['memory', 'ask', 'garden'],
    ['pack', 'plan the garden'],
    ['pack', 'plan the garden', '--explain'],
    ['records'],
    ['window'],
    ['hub', 'status'],
    ['webhook', 'list'],
    ['limits'],
    ['denials'],
    ['verify'],
    ['key', 'show'],
    ['rebuild'],
    ['doctor'],
    ['config'],
    ['demo'],
  ];
  const listed = [...(await run(['--help'])).stdout.matchAll(/^ {2}([a-z]+)(?= )/gm)].map(
    (match) => match[1]!,
  );
  // Those that need a file or an id of their own have tests of their own.
  const elsewhere = [
    'scrub',
    'forget',
    'backup',
    'restore',
    'cluster',
    'migrate',
    'pod',
    'run',
    'install',
    'uninstall',
    'hook',
    'statusline',
  ];
  const untested = ['serve', 'stdio', 'help', ...elsewhere, ...commands.map(([name]) => name)];
  expect(listed.length).toBeGreaterThan(8);
  expect(listed.filter((name) => !untested.includes(name))).toEqual([]);
  for (const command of commands) {
    const { code, stdout, stderr } = await run(['--data', data, '--json', ...command]);
    expect(`${command[0]} ${code} ${stderr}`).toBe(`${command[0]} 0 `);
    expect(JSON.parse(stdout), command[0]).toBeTypeOf('object');
    const words = await run(['--data', data, ...command]);
    expect(() => JSON.parse(words.stdout), command[0]).toThrow();
  }
});

test('with --json an error is one JSON document on stderr', async () => {
  const { code, stdout, stderr } = await run([
    '--data',
    temporaryFolder(),
    '--json',
    'token',
    'revoke',
    'tok_none',
  ]);
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toMatchObject({ code: 'not_found', retryable: false });
});

describe('project', () => {
  test('is added and listed, with what names it', async () => {
    const data = temporaryFolder();
    const shop = await runJson<{ id: string }>(
      data,
      'project',
      'add',
      '--name',
      'shop',
      '--path',
      '/home/someone/shop',
    );
    await runJson(data, 'project', 'add', '--name', 'garden');
    const { projects } = await runJson<{ projects: Record<string, unknown>[] }>(data, 'project', 'list');
    expect(projects).toMatchObject([
      { name: 'garden', path: null },
      { id: shop.id, name: 'shop', path: '/home/someone/shop' },
    ]);
    for (const project of projects) {
      expect(project).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
      expect(Object.keys(project).sort()).toEqual(['hash', 'id', 'name', 'path', 'workspace_id']);
    }
  });

  test('a name that is taken is refused', async () => {
    const data = temporaryFolder();
    await runJson(data, 'project', 'add', '--name', 'shop');
    const { code, stderr } = await run([
      '--data',
      data,
      'project',
      'add',
      '--name',
      'shop',
      '--path',
      '/elsewhere',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('already a project named "shop"');
  });
});

describe.concurrent('config', () => {
  test('shows each value and where it came from', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'settings.json');
    writeFileSync(
      file,
      JSON.stringify({ contextLimit: 64000, host: 'from.file', oauth: { secret: 'hunter2' } }),
    );
    const { stdout } = await run(['config', '--json', '--data', folder, '--config', file], {
      env: { INFOLD_HOST: '127.0.0.1', INFOLD_LIMITS_BATCH_MESSAGES: '7' },
    });
    const report = JSON.parse(stdout) as { file: string; values: Values };
    expect(report.file).toBe(file);
    expect(report.values).toMatchObject({
      data: { value: folder, origin: 'flag', environment: 'INFOLD_DATA' },
      host: { value: '127.0.0.1', origin: 'environment' },
      contextLimit: { value: 64000, origin: 'file', environment: 'INFOLD_CONTEXT_LIMIT' },
      port: { value: 9090, origin: 'default' },
      'limits.batchMessages': { value: 7, origin: 'environment' },
      'limits.requestBytes': { origin: 'default' },
    });
    expect(stdout).not.toContain('hunter2');
  });

  test('reads infold.config.json of the working folder', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'infold.config.json'), JSON.stringify({ port: 4321 }));
    const { stdout } = await run(['config', '--json'], { cwd: folder });
    expect((JSON.parse(stdout) as { values: Values }).values.port).toMatchObject({
      value: 4321,
      origin: 'file',
    });
  });

  test('a flag wins over everything where it matters', async () => {
    const server = await startServer({ env: { INFOLD_PORT: '1', INFOLD_DATA: '/nowhere' } });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe.concurrent('doctor', () => {
  const checksOf = async (data: string, ...args: string[]) => {
    const { code, stdout } = await run(['doctor', '--json', '--data', data], {
      env: Object.fromEntries(args.map((arg) => arg.split('=') as [string, string])),
    });
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; state: string; detail: string; advice?: string }[];
    };
    return { code, checks: Object.fromEntries(checks.map(({ name, ...check }) => [name, check])) };
  };

  test('looks at everything and finds nothing wrong', async () => {
    const { code, checks } = await checksOf(temporaryFolder(), 'INFOLD_PORT=0');
    expect(code).toBe(0);
    expect(Object.keys(checks)).toEqual(
      expect.arrayContaining([
        'node',
        'configuration',
        'free disk',
        'sqlite',
        'data folder',
        'tokens',
        'port',
        'tool list',
      ]),
    );
    expect(checks['tool list']?.detail).toMatch(/\d+ tools cost about \d+ tokens/);
    expect(checks.tokens).toMatchObject({ state: 'ok', detail: expect.stringContaining('owner') });
  });

  test('tells who holds the port', async () => {
    const server = await startServer();
    const { checks } = await checksOf(temporaryFolder(), `INFOLD_PORT=${server.port}`);
    expect(checks.port).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('another Infold'),
      advice: expect.stringContaining(`--port ${server.port + 1}`),
    });
  });

  test('takes a server on the same data folder for what is wanted', async () => {
    const data = temporaryFolder();
    const server = await startServer({ data });
    const { checks } = await checksOf(data, `INFOLD_PORT=${server.port}`);
    expect(checks.port).toEqual({
      state: 'ok',
      detail: expect.stringContaining(`${server.port} is served by this Infold`),
    });
    // Nobody without a token is told which folder it is.
    await runJson(data, 'token', 'create', '--name', 'alice');
    const { checks: later } = await checksOf(data, `INFOLD_PORT=${server.port}`);
    expect(later.port).toMatchObject({ state: 'ok', detail: expect.stringContaining('asks for a token') });
  });

  test('tells that an open address needs a token, and that all tokens have ended', async () => {
    const data = temporaryFolder();
    const open = await checksOf(data, 'INFOLD_HOST=0.0.0.0', 'INFOLD_PORT=0');
    expect(open.code).toBe(1);
    expect(open.checks.tokens).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('token create'),
    });
    const { id } = await runJson<{ id: string }>(data, 'token', 'create', '--name', 'alice');
    expect((await checksOf(data, 'INFOLD_PORT=0')).checks.tokens).toMatchObject({ detail: '1 usable of 1' });
    await runJson(data, 'token', 'revoke', id);
    expect((await checksOf(data, 'INFOLD_PORT=0')).checks.tokens).toMatchObject({ state: 'warning' });
  });
});

describe.concurrent('verify and rebuild', () => {
  async function journalOfThree(): Promise<string> {
    const data = temporaryFolder();
    for (const name of ['one', 'two', 'three']) await runJson(data, 'project', 'add', '--name', name);
    return data;
  }

  test('an untouched journal is as it was written', async () => {
    verifies('KERN-03');
    const report = await runJson(await journalOfThree(), 'verify');
    expect(report).toMatchObject({ ok: true, entries: 3, events: 3, erased: 0 });
  });

  test.each([
    ['changed', `UPDATE journal_entry SET data = replace(data, 'two', 'owt') WHERE seq = 2`],
    ['dropped', 'DELETE FROM journal_entry WHERE seq = 2'],
    ['backdated', 'UPDATE journal_entry SET at = at - 1 WHERE seq = 2'],
  ])('an entry that was %s is named, with exit code 4', async (_what, sql) => {
    verifies('KERN-03');
    const data = await journalOfThree();
    const database = await openDatabase(join(data, 'infold.db'));
    database.exec(sql);
    database.close();
    const { code, stdout } = await run(['--data', data, '--json', 'verify']);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, first: { seq: 2 } });
    const words = await run(['--data', data, 'verify']);
    expect(words.code).toBe(4);
    expect(words.stdout).toContain('First bad entry: 2');
  });

  test('tables that were damaged are made anew from the journal', async () => {
    verifies('KERN-04');
    const data = await journalOfThree();
    const before = await runJson(data, 'project', 'list');
    const database = await openDatabase(join(data, 'infold.db'));
    database.exec(`UPDATE identity_project SET name = 'lost-' || name`);
    database.close();
    expect(await runJson(data, 'project', 'list')).not.toEqual(before);
    expect(await runJson(data, 'rebuild')).toMatchObject({ entries: 3, events: 3 });
    expect(await runJson(data, 'project', 'list')).toEqual(before);
  });
});
