import { sessionView } from '../../fold/views.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { projectNames } from '../../trust/identity/queries.ts';
import { isLive, latestSessions } from '../../trust/sessions/queries.ts';
import { type Output, table } from '../output.ts';
import { openJournalToRead } from '../services/journal.ts';
import { projectsOf } from './session-projects.ts';

export async function sessions(config: Config, output: Output, flags: { all?: boolean }): Promise<void> {
  const journal = await openJournalToRead(config, output.note);
  try {
    const lifetime = { now: systemClock(), lifetime: config.limits.sessionLifetime };
    const names = projectNames(journal.database);
    const shown = latestSessions(journal.database, 500)
      .filter((session) => flags.all || isLive(session, lifetime))
      .map((session) => ({
        ...sessionView(journal.database, session, config.contextLimit, lifetime),
        principal: session.principal,
        project: names.get(session.project_id) ?? session.project_id,
        projects: projectsOf(journal, session).map((id) => names.get(id) ?? id),
      }));
    output.answer({ sessions: shown }, () => {
      if (shown.length === 0)
        return flags.all ? 'No sessions yet.' : 'No live sessions. --all shows ended ones too.';
      const rows = shown.map((session) => [
        session.id,
        session.projects.join(', '),
        session.principal,
        session.live ? 'live' : 'ended',
        String(session.context_state.total_tokens),
        String(session.folded_total),
        session.last_at,
      ]);
      return table(rows, ['SESSION', 'PROJECT', 'PRINCIPAL', 'STATE', 'TOKENS', 'FOLDED', 'LAST']);
    });
  } finally {
    await journal.close();
  }
}
