/** How long a stream that broke is waited with at first, and at most; it doubles. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;

/**
 * The data of server-sent events. `EventSource` cannot send a token, so this reads a plain response; one that breaks is
 * opened again after the last event. What the server refuses is thrown.
 */
export async function* eventsIn<Data>(
  open: (lastId: string | undefined) => Promise<Response>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Data, void> {
  let lastId: string | undefined;
  let wait = FIRST_WAIT;
  while (!signal?.aborted) {
    try {
      const response = await open(lastId);
      for await (const { id, data } of framesOf(response)) {
        wait = FIRST_WAIT;
        lastId = id ?? lastId;
        yield JSON.parse(data) as Data;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // Without a status nobody answered, or what was sent broke off.
      const status = (error as { status?: number }).status;
      if (status !== undefined && status < 500) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
}

interface Frame {
  id: string | undefined;
  data: string;
}

async function* framesOf(response: Response): AsyncGenerator<Frame, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const frame = frameOf(text.slice(0, end));
        text = text.slice(end + 2);
        if (frame) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function frameOf(text: string): Frame | undefined {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  return data.length > 0 ? { id, data: data.join('\n') } : undefined;
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
