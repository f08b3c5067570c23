import { foldApi, HOST_SESSION_ID } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { findSession, lifetimeIn, type Session } from '../../trust/sessions/queries.ts';
import { Connection, sessionOrNew } from '../../trust/sessions/resolve.ts';
import type { Meter } from '../metering.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    meter: Meter;
  }
}

/** Many results come at once, so the meter takes secrets out of them one by one. */
export const reportOperations = defineAction(foldApi.reportOperations, {
  scrubsItself: true,
  async run({ id, project, operations, collapsed }, context) {
    const session = await reportedSession(context, id, project);
    const { caller, giveWay, parts } = context;
    return { structured: await parts.meter.report(caller, session, operations, collapsed, giveWay) };
  },
});

/** A reporter (a hook, a proxy) may be the first to speak of its host's session: it begins then. */
async function reportedSession(
  context: CallContext,
  id: string,
  project: string | undefined,
): Promise<Session> {
  const { journal, database, caller, limiter } = context;
  const known = findSession(database, caller, id, undefined);
  if (known && known.ended_at === null) return known;
  if (!HOST_SESSION_ID.test(id)) {
    throw new InfoldError('invalid_arguments', 'A session id has 1 to 128 letters, digits, "-" or "_"');
  }
  return sessionOrNew(journal, {
    caller,
    connection: new Connection(),
    project: resolveProject(database, caller, project),
    sessionId: id,
    limiter,
    ...lifetimeIn(context),
  });
}
