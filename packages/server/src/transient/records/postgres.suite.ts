import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A real PostgreSQL server with a folder and a port of its own. */
export interface TestPostgres {
  url: string;
  run(sql: string): void;
  /** Ends it as a machine that goes away does. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Where PostgreSQL's programs are; it is installed first where that can be done. Undefined: tests are skipped. */
export function findPostgres(): string | undefined {
  const found = installedAt();
  if (found || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return found;
  try {
    const options = { stdio: 'ignore', timeout: 300_000 } as const;
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync(
      'apt-get',
      ['-o', 'DPkg::Lock::Timeout=240', 'install', '-y', '-qq', '--no-install-recommends', 'postgresql'],
      options,
    );
  } catch {
    // Without a network there is none.
  }
  return installedAt();
}

function installedAt(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root, so somebody else must be. */
function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return { uid: Number(user![2]), gid: Number(user![3]) };
}

export async function startPostgres(programs: string): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'infold-postgres-'));
  const who = identity();
  if (who.uid !== undefined) chownSync(folder, who.uid, who.gid!);
  const data = join(folder, 'data');
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' };
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'infold', '-A', 'trust', '--no-sync'], {
    ...who,
    env,
    cwd: folder,
    stdio: 'ignore',
  });
  const port = await freePort();
  const url = `postgresql://infold@127.0.0.1:${port}/postgres`;
  const run = (sql: string) => {
    execFileSync(join(programs, 'psql'), ['-v', 'ON_ERROR_STOP=1', '-q', '-d', url], {
      input: sql,
      env,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  };
  let server: ReturnType<typeof spawn> | undefined;
  const start = async () => {
    const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F'];
    server = spawn(join(programs, 'postgres'), options, { ...who, env, cwd: folder, stdio: 'ignore' });
    for (let tries = 0; ; tries++) {
      try {
        run('SELECT 1');
        return;
      } catch (error) {
        if (tries > 100) throw error;
        await wait(100);
      }
    }
  };
  const stop = async () => {
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server!.once('exit', resolve));
    server.kill('SIGINT');
    await ended;
  };
  await start();
  const remove = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, run, start, stop, remove };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
