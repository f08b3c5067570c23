import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../kernel/errors.ts';
import { buildIndex } from './build.ts';
import { FileProblem } from './rows.ts';
import type { BuildMessage, BuildOrder } from './state.ts';

const PROGRESS_EVERY = 250;

const send = (message: BuildMessage) => parentPort!.postMessage(message);
let told = 0;

try {
  const state = await buildIndex(workerData as BuildOrder, (done, total) => {
    const now = performance.now();
    if (now - told < PROGRESS_EVERY && done < total) return;
    told = now;
    send({ kind: 'progress', done, total });
  });
  send({ kind: 'done', state });
} catch (error) {
  const code = (error as NodeJS.ErrnoException).code;
  const problem = error instanceof FileProblem ? error.message : messageOf(error);
  send({ kind: 'failed', problem, missing: !(error instanceof FileProblem) && code !== undefined });
}
