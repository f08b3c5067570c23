import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { NEEDS_NATS, natsServer } from '../../support/nats.ts';
import { environment, isRunning, temporaryFolder, until } from '../support/program.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/cluster/run.mjs', import.meta.url));

interface Report {
  ok: boolean;
  folds: number;
  actions: string[];
  surprises: string[];
  lost: string[];
  nodes: { name: string; state: string; seq: number; head: string }[];
}

/** The example, with its files in a folder of the test's. */
function startExample(...words: string[]) {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [PROGRAM, ...words], { env: environment({ TMPDIR: folder }) });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  /** Processes that it has started and that run. */
  const pids = () => {
    const [files] = readdirSync(folder).map((name) => join(folder, name));
    if (files === undefined || !existsSync(files)) return [];
    return readdirSync(files)
      .filter((name) => name.endsWith('.pid'))
      .map((name) => Number(readFileSync(join(files, name), 'utf8')));
  };
  return { child, folder, ended, pids, stdout: () => stdout, stderr: () => stderr };
}

describe.skipIf(natsServer === undefined)(`examples/cluster ${NEEDS_NATS}`, () => {
  test('servers and nodes die and come back under load, and nothing that was acknowledged is lost', async () => {
    const example = startExample('--seconds', '16', '--every', '4', '--json');
    const seen = new Set<number>();
    const looking = setInterval(() => {
      for (const pid of example.pids()) seen.add(pid);
    }, 250);
    const code = await example.ended;
    clearInterval(looking);
    expect(example.stderr()).toBe('');
    const report = JSON.parse(example.stdout()) as Report;
    expect(report).toMatchObject({ ok: true, surprises: [], lost: [] });
    expect(code).toBe(0);
    expect(report.folds).toBeGreaterThan(3);
    expect(report.actions.filter((action) => action.startsWith('kill -9')).length).toBeGreaterThan(1);
    expect(new Set(report.nodes.map(({ seq, head }) => `${seq} ${head}`)).size).toBe(1);
    // Six at first, and what was started again.
    expect(seen.size).toBeGreaterThan(6);
    expect([...seen].filter(isRunning)).toEqual([]);
    expect(readdirSync(example.folder)).toEqual([]);
  });

  test('what it started does not outlive it, even when it is killed', async () => {
    const example = startExample();
    await until(() => example.stdout().includes('infold-2 ready'));
    const pids = example.pids();
    expect(pids).toHaveLength(6);
    example.child.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    await expect.poll(() => readdirSync(example.folder)).toEqual([]);
  });
});
