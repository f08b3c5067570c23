import type { EnvelopeInput } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { Refusal } from './errors.ts';

/** Contexts, kinds and participants come again and again; that many are looked through once. */
const REMEMBERED = 10_000;

/**
 * Messages, contexts and participants are found by their names, so a name is never changed: one that holds a secret is
 * refused. Rewriting it would make one context of two, and leave links that lead nowhere.
 */
export class Identifiers {
  readonly #scrubber: Scrubber;
  readonly #clean = new Set<string>();

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** Throws a `Refusal` that says which field it is, and never what stands there. */
  check({ id, kind, to, correlation_id, context }: EnvelopeInput): void {
    // Only messages have ids of their own, and there is no end of them.
    if (this.#holdsSecret(id)) throw refusal('id', id);
    if (correlation_id !== undefined && this.#holdsSecret(correlation_id))
      throw refusal('correlation_id', id);
    if (!this.#isKnownClean(kind)) throw refusal('kind', id);
    for (const name of to ?? []) if (!this.#isKnownClean(name)) throw refusal('to', id);
    if (!context) return;
    if (!this.#isKnownClean(context.id)) throw refusal('context.id', id);
    const { type, parent } = context;
    if (type !== undefined && !this.#isKnownClean(type)) throw refusal('context.type', id);
    if (parent !== undefined && !this.#isKnownClean(parent)) throw refusal('context.parent', id);
  }

  /** Of a pod or a participant. */
  checkName(field: 'pod' | 'participant', name: string): void {
    if (this.#isKnownClean(name)) return;
    throw new InfoldError('secret_identifier', `The ${field} holds a secret; choose another name`, {
      details: { field },
    });
  }

  #isKnownClean(name: string): boolean {
    if (this.#clean.has(name)) return true;
    if (this.#holdsSecret(name)) return false;
    if (this.#clean.size >= REMEMBERED) this.#clean.clear();
    this.#clean.add(name);
    return true;
  }

  /** KERN-12, and closed when it fails: what cannot be looked through is refused. */
  #holdsSecret(name: string): boolean {
    try {
      return this.#scrubber.scrub(name).count > 0;
    } catch {
      return true;
    }
  }
}

function refusal(field: string, id: string): Refusal {
  return new Refusal('secret_identifier', `${field} holds a secret; choose another one`, id, { field });
}
