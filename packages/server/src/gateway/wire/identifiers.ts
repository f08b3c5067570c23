import type { EnvelopeInput } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import { type Identifiers, identifiersOf } from '../../trust/secrets/identifiers.ts';
import { Refusal } from '../errors.ts';

/** The names in messages: of the message itself, its context, its kind and its participants. */
export class EnvelopeIdentifiers {
  readonly #identifiers: Identifiers;

  constructor(scrubber: Scrubber) {
    this.#identifiers = identifiersOf(scrubber);
  }

  /** Throws a `Refusal` that says which field it is, and never what stands there. */
  check({ id, kind, to, correlation_id, context }: EnvelopeInput): void {
    const identifiers = this.#identifiers;
    // Only messages have ids of their own, and there is no end of them.
    if (identifiers.holdsSecret(id)) throw refusal('id', id);
    if (correlation_id !== undefined && identifiers.holdsSecret(correlation_id))
      throw refusal('correlation_id', id);
    if (!identifiers.isClean(kind)) throw refusal('kind', id);
    for (const name of to ?? []) if (!identifiers.isClean(name)) throw refusal('to', id);
    if (!context) return;
    if (!identifiers.isClean(context.id)) throw refusal('context.id', id);
    const { type, parent } = context;
    if (type !== undefined && !identifiers.isClean(type)) throw refusal('context.type', id);
    if (parent !== undefined && !identifiers.isClean(parent)) throw refusal('context.parent', id);
  }

  /** Of a pod or a participant. */
  checkName(field: 'pod' | 'participant', name: string): void {
    this.#identifiers.check(field, name);
  }
}

function refusal(field: string, id: string): Refusal {
  return new Refusal('secret_identifier', `${field} contains a secret; choose another value`, id, { field });
}
