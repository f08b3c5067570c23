import type { CallContext } from '../../call/context.ts';
import { listTokens } from '../../trust/identity/queries.ts';
import { personsOnRecord } from '../queries/evidence.ts';
import { pseudonymsIn } from './pseudonyms.ts';

/** How agents are called in evidence: by their names, or by what stands for the names of principals. */
export interface EvidenceNames {
  anonymous: boolean;
  shown(agent: string, isPerson: boolean): string;
  /** The agent that goes by a shown name. A principal is not to be found out by asking for a name. */
  meant(shown: string): string;
}

/** Principals may ask for themselves by their own name. */
export function evidenceNames({ config, database, caller }: CallContext): EvidenceNames {
  if (!config.evidence.anonymous) {
    return { anonymous: false, shown: (agent) => agent, meant: (shown) => shown };
  }
  const pseudonym = pseudonymsIn(config.data);
  const persons = new Set([
    ...personsOnRecord(database),
    ...listTokens(database).map(({ name }) => name),
    caller.principal,
  ]);
  return {
    anonymous: true,
    // An agent may have given itself the name of a principal.
    shown: (agent, isPerson) => (isPerson || persons.has(agent) ? pseudonym(agent) : agent),
    meant: (shown) => {
      if (shown === caller.principal) return shown;
      const person = [...persons].find((name) => pseudonym(name) === shown);
      return person ?? (persons.has(shown) ? pseudonym(shown) : shown);
    },
  };
}
