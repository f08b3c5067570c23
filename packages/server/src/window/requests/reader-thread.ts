import { parentPort } from 'node:worker_threads';
import type { Dialect } from '@infold/client/window';
import { messageOf } from '../../kernel/errors.ts';
import { type Outline, RequestReader } from './request-reader.ts';

/** What the other thread asks for. A request that was read is kept until it is let go. */
export type Asked = { id: number; request: number } & (
  | { kind: 'read'; body: Uint8Array; dialect: Dialect }
  | { kind: 'plan'; with: Parameters<RequestReader['plan']> }
  | { kind: 'replay'; with: Parameters<RequestReader['replay']> }
  | { kind: 'blocks'; with: Parameters<RequestReader['blocks']> }
  | { kind: 'block'; with: Parameters<RequestReader['block']> }
  | { kind: 'done' }
);

export interface Told {
  id: number;
  answer?: Outline | ReturnType<RequestReader[Work]>;
  problem?: string;
}

/** What is done with a request that was read. */
type Work = 'plan' | 'replay' | 'blocks' | 'block';

const requests = new Map<number, RequestReader>();

parentPort!.on('message', (asked: Asked) => {
  try {
    const answer = answerTo(asked);
    if (asked.kind !== 'done') parentPort!.postMessage({ id: asked.id, answer } as Told);
  } catch (error) {
    parentPort!.postMessage({ id: asked.id, problem: messageOf(error) } satisfies Told);
  }
});

function answerTo(asked: Asked): Told['answer'] {
  if (asked.kind === 'read') {
    const reader = new RequestReader(asked.body, asked.dialect);
    requests.set(asked.request, reader);
    return reader.outline;
  }
  const reader = requests.get(asked.request);
  if (asked.kind === 'done') requests.delete(asked.request);
  else if (!reader) throw new Error('the request was let go');
  else if (asked.kind === 'plan') return reader.plan(...asked.with);
  else if (asked.kind === 'replay') return reader.replay(...asked.with);
  else if (asked.kind === 'blocks') return reader.blocks(...asked.with);
  else return reader.block(...asked.with);
  return undefined;
}
