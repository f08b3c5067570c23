import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useAccount } from '../api/account.tsx';
import { Badge } from '../design/data/badge.tsx';
import { Time } from '../design/data/figures.tsx';
import { count } from '../design/data/format.ts';
import { Panel } from '../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { type Column, Table } from '../design/table/table.tsx';
import styles from './denials.module.css';
import { type Denial, denialsQuery } from './queries.ts';

const columns: Column<Denial>[] = [
  { name: 'Who', cell: ({ principal }) => <bdi className={styles.who}>{principal}</bdi> },
  {
    name: 'Was refused',
    cell: ({ action, resource, code }) => (
      <span className={styles.refused}>
        <span>
          <bdi>
            <code>{resource}</code>
          </bdi>{' '}
          <span className={styles.action}>({action})</span>
        </span>
        <Badge tone="warn">{code.replaceAll('_', ' ')}</Badge>
      </span>
    ),
  },
  { name: 'Times', isFigure: true, cell: (denial) => count(denial.count) },
  { name: 'First', isExtra: true, isFigure: true, cell: ({ first_at }) => <Time at={first_at} /> },
  { name: 'Last', isFigure: true, cell: ({ last_at }) => <Time at={last_at} /> },
];

export default function DenialsPage() {
  const { data, error, refetch } = useQuery(denialsQuery(useAccount().session));
  if (error && !data) return <Problem what="The denials could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="denials">
        <Skeleton lines={6} height="1.75rem" />
      </Loading>
    );
  }
  if (data.denials.length === 0) {
    return (
      <Empty icon={<ShieldCheck aria-hidden />} title="Nobody has been refused anything">
        <p>
          Whenever somebody asks for something their token does not allow, it is counted here: who it was,
          what they asked for, and how often.
        </p>
      </Empty>
    );
  }
  return (
    <Panel isFlush>
      <Table
        caption="Denials, newest first"
        columns={columns}
        rows={data.denials}
        keyOf={({ org, principal, action, resource, code }) =>
          JSON.stringify([org, principal, action, resource, code])
        }
      />
    </Panel>
  );
}
