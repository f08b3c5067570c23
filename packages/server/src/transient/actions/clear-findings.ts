import { transientApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { proseAnswer } from '../../call/answer.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { checkAnalysisId, clearFindings as clearThem } from '../commands.ts';
import { idsOfAnalysis } from '../queries.ts';
import { inSession, ownerIn } from './findings-of-call.ts';

export const clearFindings = defineAction(transientApi.clearAnalysisMemories, {
  identifiers: ['analysis_id'],
  async run(input, context) {
    checkAnalysisId(input.analysis_id);
    const project = context.project(input.project);
    const owner = ownerIn(context, project.id);
    const idsIn = (database: Database) => idsOfAnalysis(database, owner, input.analysis_id, context.clock());
    let cleared = 0;
    // Nothing to clear is no reason to begin a session.
    if (idsIn(context.database).length > 0) {
      const session = await context.sessionOrNew();
      const { answer } = await context.journal.commit({
        stream: session.stream,
        actor: context.caller.actor,
        decide: inSession(session, (database) =>
          clearThem({ ...owner, session_id: session.id }, input.analysis_id, idsIn(database)),
        ),
      });
      cleared = answer;
    }
    return proseAnswer(`Cleared ${cleared} finding(s) for analysis "${input.analysis_id}".`, {
      analysis_id: input.analysis_id,
      cleared,
    });
  },
});
