import { CircleCheck } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Choice } from '../../design/controls/choice.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { ProjectChoice } from '../filters.tsx';
import { type Audit, type Finding, useAudit } from '../queries.ts';
import { takeBack, useDeed } from '../write/deeds.ts';
import { CRITERIA, KINDS_OF_FINDINGS } from './criteria.ts';
import { FindingRow } from './finding.tsx';
import styles from './page.module.css';

export default function UpkeepPage() {
  const { project, find = 'all' } = useAddress();
  const change = useChangeAddress();
  const { data, error, refetch } = useAudit({ project });
  return (
    <>
      <div className={styles.fields}>
        <Choice
          label="Findings"
          options={[
            { value: 'all', label: 'All' },
            ...KINDS_OF_FINDINGS.map((value) => ({
              value,
              label: `${value[0]!.toUpperCase()}${value.slice(1)}`,
            })),
          ]}
          value={find}
          onChange={(next) => change({ find: next === 'all' ? undefined : next })}
        />
        <div className={styles.project}>
          <ProjectChoice />
        </div>
      </div>
      {error && !data ? (
        <Problem what="Memory could not be looked through" error={error} onRetry={refetch} />
      ) : data ? (
        <Findings audit={data} find={find} />
      ) : (
        <Loading what="findings">
          <Skeleton lines={6} height="4rem" />
        </Loading>
      )}
    </>
  );
}

function Findings({ audit, find }: { audit: Audit; find: string }) {
  const { findings, counts, checked } = audit;
  const shown = CRITERIA.filter(({ kind }) => find === 'all' || kind === find)
    .map((criterion) => ({
      ...criterion,
      total: counts[criterion.id] ?? 0,
      found: findings.filter((finding) => finding.criterion === criterion.id),
    }))
    .filter(({ total }) => total > 0);
  if (shown.length === 0) {
    return (
      <Panel>
        <Empty icon={<CircleCheck aria-hidden />} title="Nothing to look at">
          <p>{plural(checked, 'item')} that stand were looked at, by these criteria:</p>
          <ul className={styles.criteria}>
            {CRITERIA.map(({ id, name, about }) => (
              <li key={id}>
                <strong>{name}</strong>: {about}
              </li>
            ))}
          </ul>
        </Empty>
      </Panel>
    );
  }
  return (
    <>
      <p className={styles.checked} role="status">
        {plural(checked, 'item')} that stand were looked at.
      </p>
      {shown.map(({ id, name, about, total, found }) => (
        <Panel
          key={id}
          isFlush
          title={`${name} (${count(total)})`}
          aside={id === 'exact_double' && <MergeAll found={found} />}
        >
          <p className={styles.about}>{about}</p>
          <ul>
            {found.map((finding) => (
              <FindingRow key={finding.items.map((item) => item.id).join(' ')} finding={finding} />
            ))}
          </ul>
          {total > found.length && (
            <p className={styles.about}>And {count(total - found.length)} more, when these are settled.</p>
          )}
        </Panel>
      ))}
    </>
  );
}

/** Nothing is lost by it: they say the same, word for word. */
function MergeAll({ found }: { found: readonly Finding[] }) {
  const { may } = useAccount();
  const { project } = useAddress();
  const deed = useDeed<void>(async (api) => {
    const { merged } = await api.mergeDoubles({ project });
    const superseded = merged.reduce((sum, each) => sum + each.superseded.length, 0);
    return {
      said: `${plural(superseded, 'double')} ${superseded === 1 ? 'was' : 'were'} superseded.`,
      undo: async (again) => {
        for (const each of merged) await takeBack(each.kept, false, each.superseded)(again);
      },
    };
  });
  if (!may('write') || found.length === 0) return null;
  return (
    <>
      {deed.error && <Problem what="They were not merged" error={deed.error} />}
      <Button size="small" isBusy={deed.isPending} onClick={() => deed.mutate()}>
        Merge all of them
      </Button>
    </>
  );
}
