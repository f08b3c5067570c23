import { Worker } from 'node:worker_threads';
import type { Dialect } from '@infold/client/window';
import { builtFile } from '../../kernel/built-files.ts';
import type { ReaderReply, ReaderRequest } from './reader-thread.ts';
import { type ReadBlock, type RequestOutline, RequestReader, type WrittenPlan } from './request-reader.ts';

/** Bodies up to this many bytes are read here: it takes a few milliseconds. */
const INLINE = 512 * 1024;

/** A request that was read, in whichever thread. */
export interface OpenRequest {
  outline: RequestOutline;
  plan(...question: Parameters<RequestReader['plan']>): Promise<WrittenPlan>;
  replay(...question: Parameters<RequestReader['replay']>): Promise<WrittenPlan>;
  blocks(...question: Parameters<RequestReader['blocks']>): Promise<ReadBlock[]>;
  block(...question: Parameters<RequestReader['block']>): Promise<ReadBlock | undefined>;
  done(): void;
}

type Question = ReaderRequest extends infer Each
  ? Each extends ReaderRequest
    ? Omit<Each, 'id'>
    : never
  : never;

/** Reads requests: large ones in another thread, which is there from the first request on and ends with the process. */
export class Readers {
  #worker: Worker | undefined;
  #next = 0;
  readonly #waiting = new Map<
    number,
    { resolve: (told: ReaderReply) => void; reject: (error: Error) => void }
  >();

  async open(body: Uint8Array, dialect: Dialect): Promise<OpenRequest> {
    this.#worker ??= this.#start();
    return body.byteLength <= INLINE ? openHere(body, dialect) : this.#openThere(body, dialect);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #openThere(body: Uint8Array, dialect: Dialect): Promise<OpenRequest> {
    const request = this.#next++;
    const outline = (await this.#ask({ kind: 'read', request, body, dialect })) as RequestOutline;
    return {
      outline,
      plan: async (...question) =>
        (await this.#ask({ kind: 'plan', request, with: question })) as WrittenPlan,
      replay: async (...question) =>
        (await this.#ask({ kind: 'replay', request, with: question })) as WrittenPlan,
      blocks: async (...question) =>
        (await this.#ask({ kind: 'blocks', request, with: question })) as ReadBlock[],
      block: async (...question) =>
        (await this.#ask({ kind: 'block', request, with: question })) as ReadBlock | undefined,
      done: () => this.#worker?.postMessage({ id: -1, request, kind: 'done' } satisfies ReaderRequest),
    };
  }

  async #ask(question: Question): Promise<ReaderReply['answer']> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#next++;
    const told = await new Promise<ReaderReply>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...question, id });
    });
    if (told.problem !== undefined) throw new Error(told.problem);
    return told.answer;
  }

  #start(): Worker {
    const worker = new Worker(builtFile('window/requests/reader-thread.js'));
    worker.unref();
    worker.on('message', (told: ReaderReply) => {
      this.#waiting.get(told.id)?.resolve(told);
      this.#waiting.delete(told.id);
      if (this.#waiting.size === 0) worker.unref();
    });
    const fail = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', (error) => fail(error as Error));
    worker.on('exit', () => fail(new Error('the thread that reads large requests ended')));
    return worker;
  }
}

function openHere(body: Uint8Array, dialect: Dialect): OpenRequest {
  const reader = new RequestReader(body, dialect);
  return {
    outline: reader.outline,
    plan: async (...question) => reader.plan(...question),
    replay: async (...question) => reader.replay(...question),
    blocks: async (...question) => reader.blocks(...question),
    block: async (...question) => reader.block(...question),
    done: () => {},
  };
}
