import type { JournalEvent } from '../journal/journal.ts';
import {
  entriesOfOwner,
  entriesOfStream,
  FORGOTTEN_TEXT,
  type ForgetTarget,
  type Forgetter,
} from '../trust/forget.ts';
import type { FindingsStored, StoredFinding } from './events.ts';
import { streamOfFinding } from './queries.ts';

/** The text of findings goes; that there were some, and how many, stays. A finding is an item by its id. */
export const transientForgetter: Forgetter = {
  entriesOf(database, target) {
    if (target.kind !== 'item') return entriesOfOwner(database, target);
    const stream = streamOfFinding(database, target.org, target.id);
    return stream === undefined ? undefined : entriesOfStream(database, stream);
  },
  redact({ type, data }, target) {
    return type === 'finding.stored' ? withoutText(data, target) : undefined;
  },
};

function withoutText(data: FindingsStored, { kind, id }: ForgetTarget): JournalEvent | undefined {
  if (kind === 'branch' || (kind === 'item' && !data.ids.includes(id))) return undefined;
  if (kind === 'session' && data.session_id !== id) return undefined;
  const all = kind !== 'item';
  const findings = data.findings.map((finding) => (all || finding.id === id ? forgotten(finding) : finding));
  return { type: 'finding.stored', data: { ...data, findings, ...(all ? { sources: [] } : {}) } };
}

function forgotten({ id }: StoredFinding): StoredFinding {
  return { id, finding: FORGOTTEN_TEXT, category: null, metadata: null };
}
