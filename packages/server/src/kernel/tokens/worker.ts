import { parentPort } from 'node:worker_threads';
import { countTokens } from './count.ts';

parentPort!.on('message', ({ id, text }: { id: number; text: string }) => {
  parentPort!.postMessage({ id, tokens: countTokens(text) });
});
