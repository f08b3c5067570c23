import type { Journal } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { isPodOpen } from '../access.ts';
import { type ContextRow, contextsNamed, contextTree, linkedTo, type StoredEnvelope } from '../queries.ts';

export const MOST_LINKED = 1000;
export const MOST_BYTES = 4 * 1024 * 1024;

/** What is said in pods beside what the tables have. */
interface PodsInMemory {
  /** Resolves when what was said so far is in the tables. */
  flushed(): Promise<void>;
  contextsInMemory(org: string, id: string): (ContextRow & { pod: string })[];
}

export interface Resolved {
  contexts: (ContextRow & { pod: string })[];
  linked: (StoredEnvelope & { pod: string })[];
}

/**
 * SUB-10: where a correlation id leads to, in every pod of the organisation that is open to the caller, and what refers
 * to it there. A context in any other pod looks as if it were not there.
 */
export async function resolveCorrelation(
  journal: Journal,
  pods: PodsInMemory,
  caller: Caller,
  id: string,
): Promise<Resolved> {
  await pods.flushed();
  const { database } = journal;
  const isOpen = ({ pod }: { pod: string }) => isPodOpen(database, caller, pod);
  const stored = contextsNamed(database, caller.org, id).filter(isOpen);
  const inMemory = pods.contextsInMemory(caller.org, id).filter(isOpen);
  return {
    contexts: [...stored, ...inMemory],
    linked: linkedTo(journal, caller.org, id, MOST_LINKED, MOST_BYTES).filter(isOpen),
  };
}

/** As it is answered, whichever way somebody asked; an error where there is nothing to show of the id given. */
export function shownResolved({ contexts, linked }: Resolved, id?: string) {
  if (id !== undefined && contexts.length + linked.length === 0) {
    const name = JSON.stringify(id.slice(0, 100));
    throw new InfoldError('not_found', `No context is named ${name}, and nothing refers to it`);
  }
  return {
    contexts: contexts.map(({ pod, ...row }) => {
      const { children: _children, ...context } = contextTree([row])[0]!;
      return { pod, ...context };
    }),
    linked: linked.map(shownLinked),
  };
}

export function shownLinked({ pod, seq, epoch, envelope }: StoredEnvelope & { pod: string }) {
  return { pod, seq, epoch, envelope };
}
