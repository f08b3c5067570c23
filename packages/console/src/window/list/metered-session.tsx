import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Figures, Time } from '../../design/data/figures.tsx';
import { compact, count, share } from '../../design/data/format.ts';
import { Meter } from '../../design/data/meter.tsx';
import { Page } from '../../design/layout/page.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading } from '../../design/layout/placeholders.tsx';
import { HEALTH } from '../conversation/health.ts';
import { useSessions } from '../queries.ts';
import { Marked } from './metered.tsx';
import TurnOn from './turn-on.tsx';

/** A session whose host asks its model without this server between: all there is are the calls that it made here. */
export default function MeteredSession({ id, picker }: { id: string; picker: ReactNode }) {
  const { data } = useSessions(true);
  const session = data?.sessions.find((one) => one.id === id);
  if (!session) {
    return (
      <Page title="Window" actions={picker}>
        {data ? (
          <Empty title="There is no such session">
            <p>It may have been forgotten, or belong to somebody else.</p>
          </Empty>
        ) : (
          <Loading what="the session" />
        )}
      </Page>
    );
  }
  const { context_state: state, context_health: health, context_limit: limit } = session;
  const { tone, words } = HEALTH[health.warning];
  return (
    <Page
      title={session.host_id ?? session.id}
      about={
        <>
          last used <Time at={session.last_at} />
        </>
      }
      actions={picker}
    >
      <Marked />
      <Figures
        label="The session, as the server counts it"
        figures={[
          {
            name: 'Main thread, tokens',
            value: count(state.main_thread_tokens),
            note: (
              <>
                <Meter
                  value={health.main_thread_usage}
                  tone={tone}
                  label={`Share of the limit of ${count(limit)} tokens`}
                />
                {share(health.main_thread_usage)} of {compact(limit)}, {words}
              </>
            ),
          },
          {
            name: 'With open branches',
            value: count(state.total_tokens),
            note: `depth ${state.branch_depth}`,
          },
          { name: 'Folded away', value: count(session.folded_total), note: 'replaced by summaries' },
          { name: 'Could collapse', value: count(state.collapsible), note: 'was used, and is still there' },
        ]}
      />
      <p>
        <Link to="/tree/$session" params={{ session: session.id }}>
          Its branches and operations
        </Link>
      </p>
      <Panel title="See what its model really holds">
        <TurnOn />
      </Panel>
    </Page>
  );
}
