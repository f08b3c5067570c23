import type { Session } from '../../api/session.ts';
import { modelHeaders } from '../../api/session.ts';
import type { ChatModel } from '../../settings/model.ts';
import { saidIn } from '../sentence.ts';
import { anthropic } from './anthropic.ts';
import type { Asked, Dialect, ModelAnswer } from './dialect.ts';
import { eventData } from './events.ts';
import { openai } from './openai.ts';

const DIALECTS: Record<ChatModel['dialect'], Dialect> = { anthropic, openai };

/** Asks a model by way of the window door. What goes wrong is told in a sentence that never holds the key. */
export async function ask(
  session: Session,
  { upstream, dialect, name, key }: ChatModel,
  asked: Omit<Asked, 'model'>,
  { signal, onText }: { signal: AbortSignal; onText: (text: string) => void },
): Promise<ModelAnswer> {
  const { path, headers, body, reader } = DIALECTS[dialect];
  const hidden = (text: string) => (key === '' ? text : text.replaceAll(key, '…'));
  const response = await fetch(`/model/${encodeURIComponent(upstream)}${path}`, {
    method: 'POST',
    headers: { ...modelHeaders(session), ...headers(key), 'Content-Type': 'application/json' },
    body: JSON.stringify(body({ ...asked, model: name })),
    credentials: 'same-origin',
    signal,
  });
  if (!response.ok) {
    const said = hidden(saidIn(await response.text()) ?? 'no message');
    throw new Error(`The model’s API answered ${response.status}: ${said}`);
  }
  if (!response.body || !response.headers.get('content-type')?.includes('text/event-stream')) {
    throw new Error('The model’s API did not stream its answer, as it was asked to.');
  }
  const reading = reader(onText);
  for await (const data of eventData(response.body)) {
    if (data === '[DONE]') continue;
    try {
      reading.read(JSON.parse(data));
    } catch (error) {
      throw new Error(
        hidden(
          error instanceof SyntaxError
            ? 'The model’s API sent broken JSON.'
            : String((error as Error).message),
        ),
      );
    }
  }
  return reading.answer();
}
