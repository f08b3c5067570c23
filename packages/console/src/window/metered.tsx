import { Link } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../design/badge.tsx';
import { Figures, Time } from '../design/figures.tsx';
import { compact, count, share } from '../design/format.ts';
import { Meter } from '../design/meter.tsx';
import { Page } from '../design/page.tsx';
import { Panel } from '../design/panel.tsx';
import { Empty, Loading } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import type { MeteredView } from './conversations.ts';
import { HEALTH } from './health.ts';
import styles from './metered.module.css';
import { useSessions } from './queries.ts';
import { TurnOn } from './turn-on.tsx';

/** What it is, and what it is not. */
function Marked() {
  return (
    <p className={styles.marked}>
      <Info aria-hidden />
      <span>
        Counted by the server. What the model really holds is not known: its requests do not come by here.
      </span>
    </p>
  );
}

/** A session whose host asks its model without this server between: all there is are the calls that it made here. */
export function MeteredSession({ id, picker }: { id: string; picker: ReactNode }) {
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
  const { tone } = HEALTH[health.warning];
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
                {share(health.main_thread_usage)} of {compact(limit)}, warning: {health.warning}
              </>
            ),
          },
          {
            name: 'With open branches',
            value: count(state.total_tokens),
            note: `depth ${state.branch_depth}`,
          },
          { name: 'Folded away', value: count(session.folded_total), note: 'in summaries instead' },
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

const COLUMNS: readonly Column<MeteredView>[] = [
  {
    name: 'Session',
    cell: ({ id, host_id }) => (
      <Link to="/window/$conversation" params={{ conversation: id }}>
        {host_id ?? id}
      </Link>
    ),
  },
  { name: 'Tokens', cell: ({ context_state }) => count(context_state.total_tokens), isFigure: true },
  { name: 'Folded', cell: ({ folded_total }) => count(folded_total), isFigure: true, isExtra: true },
  {
    name: 'Warning',
    cell: ({ context_health: { warning } }) => <Badge tone={HEALTH[warning].tone}>{warning}</Badge>,
  },
  { name: 'Last used', cell: ({ last_at }) => <Time at={last_at} />, isExtra: true },
];

export function MeteredTable({ sessions }: { sessions: readonly MeteredView[] }) {
  return (
    <>
      <div className={styles.above}>
        <Marked />
      </div>
      <Table caption="Sessions" columns={COLUMNS} rows={sessions} keyOf={({ id }) => id} />
    </>
  );
}
