import type { Journal } from '../journal/journal.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { projectById } from '../trust/identity/queries.ts';
import type { Session } from '../trust/sessions/queries.ts';
import type { AttestationEvent } from './events.ts';
import { contentHash } from './files/hashes.ts';
import { fileWithHash } from './queries/files.ts';
import { isInstructed } from './queries/sessions.ts';

/** A file that a host put before its model. */
export interface Instructions {
  file: string;
  text: string;
  reason: string | null;
}

/** Puts on record that a host has loaded it, and which file of the library it is by its content. Once in a session. */
export async function attestInstructions(
  journal: Journal,
  { actor }: Caller,
  session: Session,
  { file, text, reason }: Instructions,
): Promise<void> {
  const hash = contentHash(text);
  if (isInstructed(journal.database, session.id, file, hash)) return;
  await journal.commit({
    stream: session.stream,
    actor,
    decide: (database) => {
      const project = projectById(database, session.org, session.project_id);
      if (!project || isInstructed(database, session.id, file, hash)) return { events: [], answer: null };
      const rule = fileWithHash(database, project.workspace_id, hash);
      const data = {
        ...{ session_id: session.id, workspace_id: project.workspace_id, file, hash, reason },
        ...{ rule_id: rule?.id ?? null, path: rule?.path ?? null },
      };
      const event: AttestationEvent = { type: 'attest.instructions', data };
      return { events: [event], answer: null };
    },
  });
}
