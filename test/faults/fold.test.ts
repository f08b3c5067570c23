import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createServices } from '../../packages/server/src/cli/services/create.ts';
import { PROJECTIONS } from '../../packages/server/src/cli/services/projections.ts';
import { Agent } from '../../packages/server/src/fold/fixture.suite.ts';
import { listBranches } from '../../packages/server/src/fold/queries.ts';
import { SqliteJournal } from '../../packages/server/src/journal/sqlite.ts';
import { steadyClock } from '../../packages/server/src/kernel/clock.ts';
import { testConfig } from '../../packages/server/src/testing/fixtures.suite.ts';
import { sweepSessions } from '../../packages/server/src/trust/sessions/sweep.ts';
import { until } from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { everyRound, PATIENCE, ROUNDS, randomOf, removeFolder, temporaryFolder } from './support.ts';

/** The worker in one file, as the program itself is: thousands of them are started, and each would read hundreds. */
const bundled = fileURLToPath(new URL(`../../packages/server/dist/faults-${process.pid}/`, import.meta.url));
const script = join(bundled, 'fold-worker.js');
beforeAll(async () => {
  const build = await rolldown({
    input: fileURLToPath(new URL('./fold-worker.mjs', import.meta.url)),
    platform: 'node',
    external: ['@photostructure/sqlite', 'pg', 'jose', /^gpt-tokenizer/, /^node:/],
    logLevel: 'warn',
  });
  await build.write({ dir: bundled, format: 'esm' });
  await build.close();
});
afterAll(() => removeFolder(bundled));

const POINTS = ['begun', 'decided', 'appended', 'projected', 'committing', 'committed', 'delivered'] as const;

interface Order {
  folder: string;
  task: 'prepare' | 'fold';
  session: string;
  operations?: number;
  kill?: (typeof POINTS)[number];
}

interface Line {
  branch?: string;
  ready?: true;
  answer?: { branch_id?: string; code?: number };
}

function startWorker(order: Order): {
  process: ChildProcess;
  lines: Line[];
  ended: Promise<NodeJS.Signals | null>;
} {
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(JSON.parse(line)));
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.on('close', (_code, signal) => resolve(signal)),
  );
  return { process: child, lines, ended };
}

async function openServer(folder: string): Promise<Agent> {
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: testConfig().limits });
  return new Agent(createServices(testConfig(), journal, 'silent'));
}

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

/** So many rounds share a folder, each in a session of its own. */
const SHARED = 5;

describe('a fold with two open children', () => {
  test.each(POINTS)(
    'killed at "%s" is whole or has not happened, and a retry finishes it',
    async (point) => {
      verifies('FOLD-15', 'KERN-01');
      const folded = point === 'committed' || point === 'delivered';
      const oneDeath = async (data: string, round: number) => {
        const session = `fault-${round}`;
        const worker = startWorker({
          folder: data,
          task: 'prepare',
          session,
          operations: round % 4,
          kill: point,
        });
        expect(await worker.ended).toBe('SIGKILL');
        const [outer, middle, inner] = worker.lines.map(({ branch }) => branch!);
        const agent = await openServer(data);
        const { journal } = agent.services;
        const { session_id } = journal.database.get<{ session_id: string }>(
          'SELECT session_id FROM fold_branch WHERE id = ?',
          outer!,
        )!;
        const branches = () => listBranches(journal.database, session_id);
        const all = (status: string) => [outer, middle, inner].map((id) => [id, status]);
        expect(branches().map(({ id, status }) => [id, status])).toEqual(all(folded ? 'folded' : 'active'));
        expect(journal.database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
        expect(await journal.verify()).toMatchObject({ ok: true });
        const retry = { message: 'folded', branch_id: outer!, project_path: '/fault', session_id };
        const outcome = await agent.outcome('context_return', retry);
        if (folded)
          expect(outcome).toMatchObject({ rpc: { code: -32003, data: { current_status: 'folded' } } });
        else expect(outcome).toMatchObject({ isError: false });
        expect(branches().map(({ id, status }) => [id, status])).toEqual(all('folded'));
        await agent.services.settle();
        await journal.close();
      };
      await everyRound(
        async (group) => {
          const data = temporaryFolder();
          const first = group * SHARED;
          for (let round = first; round < Math.min(ROUNDS, first + SHARED); round++)
            await oneDeath(data, round);
          removeFolder(data);
        },
        Math.ceil(ROUNDS / SHARED),
      );
    },
    PATIENCE,
  );
});

describe('two processes folding one branch', () => {
  test(
    'exactly one wins, the other is told that it is not active',
    async () => {
      verifies('FOLD-16', 'KERN-02');
      const agent = await openServer(folder);
      const workers = [1, 2].map(() => startWorker({ folder, task: 'fold', session: 'fault' }));
      const said = (count: number) =>
        until(() => workers.every(({ lines }) => lines.length === count), 60_000);
      await said(1);
      for (let round = 0; round < ROUNDS; round++) {
        const { branch_id } = await agent.call<{ branch_id: string }>('context_branch', {
          description: 'contested',
          prompt: 'p',
          project_path: '/fault',
          session_id: 'fault',
        });
        for (const worker of workers) worker.process.stdin!.write(`${branch_id}\n`);
        await said(round + 2);
        const answers = workers.map(({ lines }) => lines.at(-1)!.answer!);
        expect(answers.filter((answer) => answer.branch_id === branch_id)).toHaveLength(1);
        expect(answers.filter((answer) => answer.code === -32003)).toHaveLength(1);
      }
      for (const worker of workers) worker.process.stdin!.end();
      await Promise.all(workers.map(({ ended }) => ended));
      await agent.services.journal.close();
    },
    PATIENCE,
  );
});

describe('a clock that jumps', () => {
  test('back and forth by days ends nothing that lives', { timeout: PATIENCE }, async () => {
    verifies('FOLD-12');
    let offset = 0;
    const clock = steadyClock({ wall: () => Date.now() + offset });
    const journal = await SqliteJournal.open({
      folder,
      projections: PROJECTIONS,
      clock,
      limits: testConfig().limits,
    });
    const agent = new Agent(createServices(testConfig(), journal, 'silent', clock));
    const { session_id } = await agent.branch();
    const random = randomOf(12);
    const jumps = Array.from({ length: ROUNDS }, () => random(2001) - 1000);
    for (const hours of [30, -30, 1000, 0, -1000, 25, 48, ...jumps]) {
      offset = hours * 3_600_000;
      expect(await sweepSessions(journal, clock, 24 * 3_600_000)).toBe(0);
      await agent.spend(1);
      expect(await agent.status()).toMatchObject({ session_id, branch_depth: 1 });
    }
    await journal.close();
  });
});
