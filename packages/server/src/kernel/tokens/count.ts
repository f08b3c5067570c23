import { Worker } from 'node:worker_threads';
import { nextTurn, PIECE } from '../background.ts';
import { builtFile } from '../built-files.ts';
import { Vocabulary } from './vocabulary.ts';

/** Texts up to this many characters take a few milliseconds; longer ones are counted in another thread. */
const INLINE = 32 * 1024;
const WORKER_IDLE = 30_000;

/**
 * The encoder takes quadratic time on one long run of letters, spaces or signs. Runs this long occur only in
 * data, not in language, and a cut changes their count by one token at most.
 */
const LONG_RUN = /[\p{L}\p{M}]{128}|\s{128}|[^\s\p{L}\p{N}]{128}/gu;
const RUN = 128;

let vocabulary: Vocabulary | undefined;
let loading: Generator<void> | undefined;
let ready: Promise<void> | undefined;

/** The vocabulary takes a fifth of a second and tens of megabytes to load, so it is loaded on first use, and once. */
function* load(): Generator<void> {
  try {
    vocabulary = yield* Vocabulary.load();
  } finally {
    loading = undefined;
    ready = undefined;
  }
}

/** Resolves when texts can be counted at once. Others have their turns meanwhile. */
export async function readyToCount(): Promise<void> {
  if (vocabulary) return;
  ready ??= loadInPieces();
  await ready;
}

/** Beside other long work, since callers wait for it. Its first step is its longest, so it has a turn of its own. */
async function loadInPieces(): Promise<void> {
  await nextTurn();
  if (vocabulary) return;
  loading ??= load();
  let started = performance.now();
  for (const _ of loading) {
    if (performance.now() - started < PIECE) continue;
    await nextTurn();
    started = performance.now();
  }
}

/** Tokens of a text in the o200k vocabulary. The first one waits for it: where others are served, see `readyToCount`. */
export function countTokens(text: string): number {
  if (text === '') return 0;
  if (!vocabulary) {
    loading ??= load();
    while (!loading.next().done);
  }
  let total = 0;
  let from = 0;
  if (mayHaveLongRun(text)) {
    for (const run of text.matchAll(LONG_RUN)) {
      const to = run.index + run[0].length;
      total += vocabulary!.count(text.slice(from, to));
      from = to;
    }
  }
  return from === text.length ? total : total + vocabulary!.count(from === 0 ? text : text.slice(from));
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13);
const isOther = (code: number) => code < 128 && !isSpace(code);

/** Language breaks every few characters: a look at one in a hundred spares most texts the expression. */
export function mayHaveLongRun(text: string): boolean {
  return text.length >= RUN && (isLongWithout(text, isSpace) || isLongWithout(text, isOther));
}

/** Whether so many characters follow each other without one that breaks a run. Looks back from where one would end. */
function isLongWithout(text: string, breaks: (code: number) => boolean): boolean {
  let from = 0;
  while (from + RUN <= text.length) {
    let at = from + RUN - 1;
    while (at >= from && !breaks(text.charCodeAt(at))) at--;
    if (at < from) return true;
    from = at + 1;
  }
  return false;
}

/** The same count, without holding up the event loop when the text is long. */
export async function countTokensOf(text: string): Promise<number> {
  if (text.length > INLINE) return askWorker(text);
  if (text !== '') await readyToCount();
  return countTokens(text);
}

interface Waiting {
  resolve: (tokens: number) => void;
  reject: (error: Error) => void;
}

let worker: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let nextId = 0;
const waiting = new Map<number, Waiting>();

function askWorker(text: string): Promise<number> {
  clearTimeout(idle);
  worker ??= startWorker();
  const id = nextId++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker!.ref();
    worker!.postMessage({ id, text });
  });
}

function startWorker(): Worker {
  const started = new Worker(builtFile('kernel/tokens/worker.js'));
  started.unref();
  started.on('message', ({ id, tokens }: { id: number; tokens: number }) => {
    waiting.get(id)?.resolve(tokens);
    waiting.delete(id);
    if (waiting.size === 0) rest(started);
  });
  started.on('error', (error) => {
    for (const { reject } of waiting.values()) reject(error as Error);
    waiting.clear();
    worker = undefined;
  });
  return started;
}

/** Its vocabulary is large: give the memory back when nobody has asked for a while. */
function rest(started: Worker): void {
  started.unref();
  idle = setTimeout(() => {
    worker = undefined;
    void started.terminate();
  }, WORKER_IDLE);
  idle.unref();
}
