import type { Envelope } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import type { EnvelopeAccepted } from '../events.ts';
import { payloadText } from '../wire/payload-text.ts';

/** What stands for a payload that could not be looked through. */
const UNCHECKED = '[REDACTED:unchecked]';

export type PreparedEnvelope = Pick<EnvelopeAccepted, 'envelope' | 'secrets' | 'tokens'>;

/** Makes messages ready to be stored: without secrets, and counted. */
export class EnvelopePreparer {
  readonly #scrubber: Scrubber;
  readonly #onError: (error: unknown) => void;
  #warm = false;

  constructor(scrubber: Scrubber, onError: (error: unknown) => void) {
    this.#scrubber = scrubber;
    this.#onError = onError;
  }

  /** Rules and vocabulary are loaded with their first use, which takes a while: before somebody waits for it. */
  async warmUp(): Promise<void> {
    if (this.#warm) return;
    this.#warm = true;
    this.scrub({ protocol: '', id: '', ts: '', from: '', kind: '', payload: 'a word' });
    await countTokensOf('a word');
  }

  /** `tokens` where they are not those of the payload. */
  async prepare(envelope: Envelope, tokens?: number): Promise<PreparedEnvelope> {
    const counted = tokens ?? (envelope.context ? await countTokensOf(payloadText(envelope.payload)) : 0);
    return { ...this.scrub(envelope), tokens: counted };
  }

  /** KERN-12, and closed when it fails: what cannot be looked through is not stored. */
  scrub(envelope: Envelope): Omit<PreparedEnvelope, 'tokens'> {
    try {
      const { value, count } = this.#scrubber.scrubValue(envelope);
      return { envelope: count === 0 ? envelope : withNames(value, envelope), secrets: count };
    } catch (error) {
      this.#onError(error);
      const { payload: _payload, ...plain } = withNames({ payload: UNCHECKED } as Envelope, envelope);
      const { protocol, ts } = envelope;
      return { envelope: { ...plain, protocol, ts, payload: UNCHECKED }, secrets: 1 };
    }
  }
}

/** Names by which messages and contexts are found stay what they are: those with secrets were refused. */
function withNames(clean: Envelope, { id, from, to, kind, correlation_id, context }: Envelope): Envelope {
  const names = { id, from, kind, ...(to ? { to } : {}), ...(correlation_id ? { correlation_id } : {}) };
  if (!context) return { ...clean, ...names };
  const { type, parent } = context;
  const place = { id: context.id, ...(type ? { type } : {}), ...(parent ? { parent } : {}) };
  return { ...clean, ...names, context: { ...clean.context, ...place } };
}
