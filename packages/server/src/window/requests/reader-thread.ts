import { parentPort } from 'node:worker_threads';
import type { Dialect } from '@infold/client/window';
import { messageOf } from '../../kernel/errors.ts';
import { type RequestOutline, RequestReader } from './request-reader.ts';

/** What the other thread asks for. A request that was read is kept until it is let go. */
export type ReaderRequest = { id: number; request: number } & (
  | { kind: 'read'; body: Uint8Array; dialect: Dialect }
  | { kind: 'plan'; with: Parameters<RequestReader['plan']> }
  | { kind: 'replay'; with: Parameters<RequestReader['replay']> }
  | { kind: 'blocks'; with: Parameters<RequestReader['blocks']> }
  | { kind: 'block'; with: Parameters<RequestReader['block']> }
  | { kind: 'done' }
);

export interface ReaderReply {
  id: number;
  answer?: RequestOutline | ReturnType<RequestReader[Work]>;
  problem?: string;
}

/** What is done with a request that was read. */
type Work = 'plan' | 'replay' | 'blocks' | 'block';

const requests = new Map<number, RequestReader>();

parentPort!.on('message', (asked: ReaderRequest) => {
  try {
    const answer = answerTo(asked);
    if (asked.kind !== 'done') parentPort!.postMessage({ id: asked.id, answer } as ReaderReply);
  } catch (error) {
    parentPort!.postMessage({ id: asked.id, problem: messageOf(error) } satisfies ReaderReply);
  }
});

function answerTo(asked: ReaderRequest): ReaderReply['answer'] {
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
