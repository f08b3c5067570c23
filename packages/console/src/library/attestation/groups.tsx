import type { ReactNode } from 'react';
import { Badge } from '../../design/data/badge.tsx';
import { count } from '../../design/data/format.ts';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import { type EvidenceRow, type EvidenceSubject, useReport } from '../queries.ts';
import styles from './rules.module.css';

interface Subject {
  caption: string;
  column: string;
  name: (row: EvidenceRow) => ReactNode;
  keyOf: (row: EvidenceRow) => string;
  /** What was counted besides, from the left. */
  more: readonly [name: string, field: keyof EvidenceRow][];
}

const text = (value: unknown) => <bdi>{String(value)}</bdi>;

const SUBJECTS: Record<EvidenceSubject, Subject> = {
  constraint: {
    caption: 'Use of constraints',
    column: 'Constraint',
    name: ({ path, constraint_id, text: words, current }) => (
      <span className={styles.constraint}>
        <span>
          {text(path)} {text(constraint_id)} {current === false && <Badge tone="mute">no longer there</Badge>}
        </span>
        {words && <bdi className={styles.soft}>{words.slice(0, 120)}</bdi>}
      </span>
    ),
    keyOf: ({ workspace_id, rule_id, constraint_id }) => `${workspace_id} ${rule_id} ${constraint_id}`,
    more: [['Agents', 'agents']],
  },
  project: {
    caption: 'Use by project',
    column: 'Project',
    name: ({ project, workspace_id }) => text(project ?? workspace_id),
    keyOf: ({ workspace_id }) => workspace_id ?? '',
    more: [
      ['Agents', 'agents'],
      ['Turns', 'turns'],
    ],
  },
  agent: {
    caption: 'Use by agent',
    column: 'Agent',
    name: ({ agent }) => text(agent),
    keyOf: ({ agent, is_person }) => `${agent} ${is_person}`,
    more: [
      ['Sessions', 'sessions'],
      ['Turns', 'turns'],
    ],
  },
  model: {
    caption: 'Use by model',
    column: 'Model',
    name: ({ model }) => (model ? text(model) : <span className={styles.soft}>not known</span>),
    keyOf: ({ model }) => model ?? '',
    more: [
      ['Sessions', 'sessions'],
      ['Turns', 'turns'],
    ],
  },
};

/** How often rules were loaded, followed and rejected, by something else than the rule. */
export function GroupTable({
  by,
  project,
  days,
}: {
  by: EvidenceSubject;
  project: string;
  days: number | undefined;
}) {
  const { data, error, refetch } = useReport(by, project, days);
  if (error && !data)
    return <Problem what="The evidence could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="the evidence">
        <Skeleton lines={4} height="2rem" />
      </Loading>
    );
  }
  const { caption, column, name, keyOf, more } = SUBJECTS[by];
  const figure = (title: string, field: keyof EvidenceRow, isExtra = false): Column<EvidenceRow> => ({
    ...{ name: title, isFigure: true, isExtra },
    cell: (row) => count(Number(row[field] ?? 0)),
  });
  const columns: Column<EvidenceRow>[] = [
    { name: column, cell: name },
    figure('Loaded', 'loaded'),
    figure('Referred to', 'referred'),
    figure('Rejected turns', 'rejected_turns'),
    figure('Out of date', 'stale', true),
    figure('Without a load', 'claimed_without_loading', true),
    ...more.map(([title, field]) => figure(title, field, true)),
  ];
  return (
    <div className={styles.layout}>
      {data.rows.length > 0 ? (
        <Table {...{ caption, columns, keyOf }} rows={data.rows} />
      ) : (
        <p className={styles.soft}>There is none.</p>
      )}
      <p className={styles.soft}>
        {(data.since ?? data.first_day)
          ? `Counted since ${data.since ?? data.first_day} (UTC), edges of this server included.`
          : 'Edges of this server are included.'}
        {data.anonymous && ' Names of people are replaced.'}
      </p>
    </div>
  );
}
