import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../kernel/errors.ts';
import { sqliteCode } from '../../kernel/sqlite.ts';
import { type ReadRequest, RecordReader } from './reader.ts';

const reader = new RecordReader();

parentPort!.on('message', async ({ id, request }: { id: number; request: ReadRequest }) => {
  try {
    parentPort!.postMessage({ id, answer: await reader.read(request) });
  } catch (error) {
    const problem = { message: messageOf(error), code: sqliteCode(error) ?? null };
    parentPort!.postMessage({ id, problem });
  }
});
