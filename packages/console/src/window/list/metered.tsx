import { Link } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { type Column, Table } from '../../design/table/table.tsx';
import { HEALTH } from '../conversation/health.ts';
import type { MeteredView } from './conversations.ts';
import styles from './metered.module.css';

/** What it is, and what it is not. */
export function Marked() {
  return (
    <p className={styles.marked}>
      <Info aria-hidden />
      <span>
        Counted by the server. What the model really holds is not known: its requests do not go through the
        window.
      </span>
    </p>
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
