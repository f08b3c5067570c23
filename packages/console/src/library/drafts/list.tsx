import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import { breakable } from '../breakable.tsx';
import type { DraftRow } from '../queries.ts';
import styles from './list.module.css';
import { CONFLICTS, OPERATIONS, STATUSES } from './words.ts';

interface DraftTableProps {
  project: string;
  drafts: readonly DraftRow[];
}

export function DraftTable({ project, drafts }: DraftTableProps) {
  const columns: Column<DraftRow>[] = [
    {
      name: 'Draft',
      cell: (draft) => (
        <span className={styles.draft}>
          <Link to="/library/$page" params={{ page: 'drafts' }} search={{ project, draft: draft.id }}>
            <bdi>{breakable(draft.draft_path)}</bdi>
          </Link>
          {draft.description !== null && <bdi className={styles.soft}>{draft.description}</bdi>}
        </span>
      ),
    },
    {
      name: 'State',
      cell: (draft) => (
        <span className={styles.badges}>
          <Badge tone={STATUSES[draft.status].tone}>{STATUSES[draft.status].text}</Badge>
          {draft.conflict !== null && <Badge tone="warn">{CONFLICTS[draft.conflict].short}</Badge>}
        </span>
      ),
    },
    { name: 'Would', isExtra: true, cell: ({ op }) => OPERATIONS[op] },
    { name: 'By', cell: ({ drafted_by }) => <bdi className={styles.by}>{drafted_by}</bdi> },
    { name: 'Changed', isExtra: true, isFigure: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
  return <Table caption="Drafts, newest first" columns={columns} rows={drafts} keyOf={({ id }) => id} />;
}
