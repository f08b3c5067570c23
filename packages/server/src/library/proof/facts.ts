import { ATTESTED_FACTS, type AttestedFact, type AttestedType } from '@infold/protocol';
import { z } from 'zod';
import { bareHash } from '../files/hashes.ts';
import { isSafePath } from '../files/paths.ts';

/** An event of any version, as a body holds it. */
export interface ReadEvent {
  type: string;
  data: unknown;
}

const isAttested = (type: string): type is AttestedType => Object.hasOwn(ATTESTED_FACTS, type);

/** What the events say about rules, without their texts. One that is not as it should be says nothing. */
export function factsOf(events: readonly ReadEvent[]): AttestedFact[] {
  return events.flatMap(({ type, data }) => {
    if (!isAttested(type) || typeof data !== 'object' || data === null) return [];
    const read = READ[type].safeParse(prepared(type, data as Record<string, unknown>), { jitless: true });
    return read.success ? [{ type, data: read.data } as AttestedFact] : [];
  });
}

/** The same shapes, which leave out what they do not name. */
const loose = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodArray) return z.array(loose(schema.element as z.ZodType));
  if (!(schema instanceof z.ZodObject)) return schema;
  return z.object(
    Object.fromEntries(
      Object.entries(schema.shape as Record<string, z.ZodType>).map(([key, value]) => [key, loose(value)]),
    ),
  );
};
const READ = Object.fromEntries(
  Object.entries(ATTESTED_FACTS).map(([type, schema]) => [type, loose(schema)]),
) as Record<AttestedType, z.ZodType>;

/** With the fields that a fact has and the event has not. */
function prepared(type: AttestedType, data: Record<string, unknown>): object {
  // Its first version did not know of drafts.
  if (type === 'attest.setup') return { drafts: false, ...data };
  if (type !== 'attest.refer' || !Array.isArray(data.refs)) return data;
  const refs = data.refs.map((ref: Record<string, unknown> | null) => ({
    ...ref,
    constraint_hash: bareHash(String(ref?.constraint_text)),
  }));
  return { ...data, refs };
}

const none = z.null();
/** A word that a host has for it, such as "session_start". */
const word = z.string().regex(/^[a-z][a-z_-]{0,39}$/i);
/** The id of a model, such as "vendor/model-5.1"; an agent may say anything in its place. */
const modelId = z.string().regex(/^[\w.:/@+-]{1,100}$/);

/**
 * Events that hold nothing but ids, paths, hashes, flags and the model: whoever sees a proof may see them whole. Each field is named, so
 * that one that is added to an event later keeps it from being shown until somebody has looked at it.
 */
const SHOWN: Partial<Record<AttestedType, z.ZodType>> = {
  'session.started': ATTESTED_FACTS['session.started'],
  'session.named': ATTESTED_FACTS['session.named'],
  'attest.setup': ATTESTED_FACTS['attest.setup'].extend({
    project_id: z.string(),
    mpf_changed: z.boolean(),
    drafts: z.boolean().optional(),
    model: modelId.optional(),
  }),
  'attest.load': ATTESTED_FACTS['attest.load'],
  // A file outside the session's folder says something about whose machine it is.
  'attest.instructions': ATTESTED_FACTS['attest.instructions'].extend({
    file: z.string().refine(isSafePath),
    reason: word.nullable(),
  }),
  'attest.reject': ATTESTED_FACTS['attest.reject'].extend({ reason: none }),
};

/** Whether the entry's body may be shown: without content, only if it holds none. */
export function isShown(
  { events, erased, answer }: { events: readonly ReadEvent[]; erased: boolean; answer?: unknown },
  withContent: boolean,
): boolean {
  if (erased || events.length === 0) return false;
  // With content, too, nothing is shown that proves nothing: prompts of branches, what tools were given and answered.
  if (withContent) return events.every(({ type }) => isAttested(type));
  return (
    answer === undefined &&
    events.every(
      ({ type, data }) =>
        isAttested(type) && SHOWN[type]?.safeParse(data, { jitless: true }).success === true,
    )
  );
}
