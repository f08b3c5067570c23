import { ListFilter, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import type { RecordSource } from '../queries.ts';
import type { Where } from '../search.ts';
import { said, withCondition } from './conditions.ts';
import styles from './filters.module.css';

const FilterDialog = lazy(() => import('./filter-dialog.tsx'));

interface FiltersProps {
  columns: RecordSource['columns'];
  where: readonly Where[];
  onChange: (where: readonly Where[]) => void;
}

/** What records must be like: each condition can be changed and removed. */
export function Filters({ columns, where, onChange }: FiltersProps) {
  const [edited, setEdited] = useState<Where | 'new'>();
  return (
    <>
      {where.length > 0 && (
        <ul className={styles.chips} aria-label="Filters">
          {where.map((condition) => (
            <Chip
              key={`${condition[0]} ${condition[1]}`}
              condition={condition}
              onEdit={() => setEdited(condition)}
              onRemove={() => onChange(where.filter((one) => one !== condition))}
            />
          ))}
          {where.length > 1 && (
            <li>
              <Button look="quiet" size="small" onClick={() => onChange([])}>
                Remove all
              </Button>
            </li>
          )}
        </ul>
      )}
      <Button
        size="small"
        icon={<ListFilter aria-hidden />}
        disabled={columns.length === 0}
        onClick={() => setEdited('new')}
      >
        Add filter
      </Button>
      {edited !== undefined && (
        <Suspense>
          <FilterDialog
            columns={columns}
            condition={edited === 'new' ? undefined : edited}
            onClose={() => setEdited(undefined)}
            onDone={(condition) => {
              setEdited(undefined);
              onChange(withCondition(where, condition, edited === 'new' ? undefined : edited));
            }}
          />
        </Suspense>
      )}
    </>
  );
}

function Chip({
  condition,
  onEdit,
  onRemove,
}: {
  condition: Where;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { column, sign, value } = said(condition);
  return (
    <li className={styles.chip}>
      <button type="button" className={styles.said} onClick={onEdit}>
        <bdi>{column}</bdi> {sign} {value !== '' && <bdi className={styles.value}>{value}</bdi>}
      </button>
      <button
        type="button"
        className={styles.remove}
        aria-label={`Remove the filter ${column} ${sign} ${value}`.trim()}
        onClick={onRemove}
      >
        <X aria-hidden />
      </button>
    </li>
  );
}
