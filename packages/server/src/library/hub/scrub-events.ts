import type { UploadedEntry } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import { identifiersOf } from '../../trust/secrets/identifiers.ts';
import { scrubText } from '../../trust/secrets/scrubbing.ts';

/** What agents and people wrote. Everything else is a name, a hash or a number. */
const TEXTS = [
  'query',
  'group',
  'result_names',
  'file',
  'reason',
  'summary',
  'constraint_text',
  'claimed_hash',
  'model',
];
/** A name is never changed: one that holds a secret is refused. */
const NAMES = ['id', 'rule_id', 'path', 'constraint_id', 'constraint_name'];

/**
 * Takes secrets out of what is sent from an edge, before it leaves and again where it arrives. Looking through every value would
 * take ten times as long: hashes are most of an entry.
 */
export function scrubEntry(scrubber: Scrubber, entry: UploadedEntry): UploadedEntry {
  const identifiers = identifiersOf(scrubber);
  for (const field of ['session', 'project'] as const) identifiers.check(field, entry[field]);
  // Nothing is found by it, and an edge may keep it back anyway.
  const agent = entry.agent !== null && identifiers.isClean(entry.agent) ? entry.agent : null;
  const clean = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') {
      if (TEXTS.includes(field)) return scrubText(scrubber, value).text;
      if (NAMES.includes(field)) identifiers.check(field, value);
      return value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const parts = value.map((one) => clean(one, field));
      return parts.every((part, place) => part === value[place]) ? value : parts;
    }
    // Almost always nothing is found: then nothing is copied.
    let changed: Record<string, unknown> | undefined;
    for (const [name, part] of Object.entries(value)) {
      const cleaned = clean(part, name);
      if (cleaned !== part) changed = { ...(changed ?? value), [name]: cleaned };
    }
    return changed ?? value;
  };
  const events = entry.events.map(({ type, data }) => ({ type, data: clean(data, '') }));
  return { ...entry, agent, events: events as UploadedEntry['events'] };
}
