import { evidenceApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { anySessionNamed } from '../../trust/sessions/queries.ts';
import { makeSessionProof } from '../proof/make.ts';

/** Not served over HTTP: who owns the data folder decides what leaves it. A session is found by its name as it was given. */
export const proveSession = defineAction(evidenceApi.proveSession, {
  scrubsItself: true,
  async run({ session: named, content }, { journal, progress }) {
    const session = anySessionNamed(journal.database, named);
    if (!session) throw sessionNotFound(named);
    const { text, evidence } = await makeSessionProof(journal, session, { content, progress });
    const { entries, shown } = evidence.session;
    return {
      structured: {
        ...{ session_id: session.id, text, entries, shown },
        ...{ loaded: evidence.loaded.length, declared: evidence.declared.length },
        checkpoint: { seq: evidence.journal.entries, root: evidence.journal.root },
        key: evidence.journal.key,
      },
    };
  },
});
