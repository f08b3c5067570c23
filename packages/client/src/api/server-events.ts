/** How long a stream that broke is waited with at first, and at most; it doubles. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
/** The server says something every 15 seconds: who hears nothing for so long is not connected any more, whatever it seems. */
const SILENCE = 45_000;

/** `waiting`: nobody answers, or the connection broke, and it is tried again. */
export type StreamState = 'open' | 'waiting';

interface Following {
  signal?: AbortSignal | undefined;
  onState?: ((state: StreamState) => void) | undefined;
}

/**
 * The data of server-sent events. `EventSource` cannot send a token, so this reads a plain response; one that breaks is
 * opened again after the last event. What the server refuses is thrown.
 */
export async function* eventsIn<Data>(
  open: (lastId: string | undefined) => Promise<Response>,
  { signal, onState }: Following,
): AsyncGenerator<Data, void> {
  let lastId: string | undefined;
  let wait = FIRST_WAIT;
  let state: StreamState | undefined;
  const enter = (next: StreamState) => {
    if (next !== state) onState?.(next);
    state = next;
  };
  while (!signal?.aborted) {
    try {
      const response = await open(lastId);
      enter('open');
      for await (const { id, data } of framesOf(response)) {
        wait = FIRST_WAIT;
        lastId = id ?? lastId;
        if (data !== undefined) yield JSON.parse(data) as Data;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // Without a status nobody answered, or what was sent broke off.
      const status = (error as { status?: number }).status;
      if (status !== undefined && status < 500) throw error;
    }
    if (signal?.aborted) return;
    enter('waiting');
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

/** Where the server stands is told without data, too. */
interface Frame {
  id: string | undefined;
  data: string | undefined;
}

async function* framesOf(response: Response): AsyncGenerator<Frame, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const texts = new FrameTexts();
  try {
    for (;;) {
      const silent = setTimeout(() => void reader.cancel().catch(() => {}), SILENCE);
      const { done, value } = await reader.read().finally(() => clearTimeout(silent));
      if (done) return;
      for (const text of texts.in(value)) {
        const frame = frameOf(text);
        if (frame) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Frames end with an empty line. Many may come in one piece, and one in many: no character is looked at or copied again. */
class FrameTexts {
  #begun: string[] = [];

  *in(piece: string): Generator<string, void> {
    let from = 0;
    // The empty line may be cut in two.
    if (piece.startsWith('\n') && this.#begun.at(-1)?.endsWith('\n')) {
      yield this.#take('');
      from = 1;
    }
    for (let end = piece.indexOf('\n\n', from); end >= 0; end = piece.indexOf('\n\n', from)) {
      yield this.#take(piece.slice(from, end));
      from = end + 2;
    }
    if (from < piece.length) this.#begun.push(piece.slice(from));
  }

  #take(end: string): string {
    const text = this.#begun.join('') + end;
    this.#begun = [];
    return text;
  }
}

function frameOf(text: string): Frame | undefined {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  if (id === undefined && data.length === 0) return undefined;
  return { id, data: data.length > 0 ? data.join('\n') : undefined };
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
  });
}
