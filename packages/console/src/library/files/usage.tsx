import { Figures, Time } from '../../design/data/figures.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import { Days } from '../attestation/days.tsx';
import { type FileDetails, type ItemUsage, useItemUsage } from '../queries.ts';
import styles from './usage.module.css';

type Period = ItemUsage['revisions'][number];

const columns: Column<Period>[] = [
  { name: 'Revision', cell: ({ revision, op }) => `${revision}${op === 'delete' ? ' (deleted)' : ''}` },
  { name: 'From', cell: ({ from }) => <Time at={from} /> },
  { name: 'Until', isExtra: true, cell: ({ until }) => (until === null ? 'now' : <Time at={until} />) },
  { name: 'Loaded', isFigure: true, cell: ({ loaded }) => count(loaded) },
  { name: 'Referred to', isFigure: true, cell: ({ referred }) => count(referred) },
  {
    name: 'Per load',
    isFigure: true,
    cell: ({ referred, loaded }) => (loaded === 0 ? '–' : (referred / loaded).toFixed(2)),
  },
  { name: 'Turns', isExtra: true, isFigure: true, cell: ({ turns }) => count(turns) },
  { name: 'Rejected', isExtra: true, isFigure: true, cell: ({ rejected_turns }) => count(rejected_turns) },
];

/** How a file was used: in all, from revision to revision, and day by day. */
export default function FileUsage({ project, file }: { project: string; file: FileDetails }) {
  const { data, error, refetch } = useItemUsage(project, file.id);
  if (error && !data)
    return <Problem what="Its use could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="its use">
        <Skeleton lines={4} height="2rem" />
      </Loading>
    );
  }
  const { trend } = data;
  const gone = data.constraints.filter(({ current }) => !current);
  return (
    <div className={styles.layout}>
      <Figures
        label={`Since revision ${trend.revision}`}
        figures={[
          {
            name: 'Turns that used it',
            value: count(trend.after.turns),
            note: `before: ${count(trend.before.turns)}`,
          },
          {
            name: 'Followed',
            value: percent(trend.after.followed),
            note: `${range(trend.after.followed)}; before: ${percent(trend.before.followed)} ${range(trend.before.followed)}`,
            ...(trend.result === 'better' && { tone: 'good' as const }),
          },
          {
            name: 'Rejected',
            value: percent(trend.after.rejected),
            note: `${range(trend.after.rejected)}; before: ${percent(trend.before.rejected)} ${range(trend.before.rejected)}`,
            ...(trend.result === 'worse' && { tone: 'warn' as const }),
          },
        ]}
      />
      <p className={styles.words}>{wordsOf(trend)}</p>
      {data.days.length > 0 && <Days days={data.days} revisions={data.revisions} />}
      <Table
        caption="Use of each revision"
        columns={columns}
        rows={data.revisions.toReversed()}
        keyOf={({ revision }) => String(revision)}
      />
      {gone.length > 0 && (
        <section className={styles.gone} aria-labelledby="gone">
          <h3 id="gone">Referred to, and no longer in the file</h3>
          <ul>
            {gone.map(({ constraint_id, referred }) => (
              <li key={constraint_id}>
                <bdi className={styles.id}>{constraint_id}</bdi> {plural(referred, 'time')}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

type Trend = ItemUsage['trend'];
type Share = Trend['before']['followed'];

const percent = ({ share }: Share) => (share === null ? '–' : `${Math.round(share * 100)} %`);
/** How far the share can be trusted. */
const range = ({ low, high }: Share) =>
  low === null || high === null ? '' : `(${Math.round(low * 100)}–${Math.round(high * 100)} %)`;

function wordsOf({ result, revision, min_turns, before, after }: Trend): string {
  if (before.turns + after.turns === 0) return 'No agent has used this file yet.';
  if (before.turns === 0) return 'No agent used an earlier wording: there is nothing to compare with yet.';
  return {
    better: `Revision ${revision} helped: agents follow it more, or reject it less, than before.`,
    worse: `Since revision ${revision} agents follow it less, or reject it more, than before.`,
    no_difference: `Revision ${revision} made no difference that these turns show.`,
    not_enough: `Not enough yet to tell whether revision ${revision} helped: that takes ${min_turns} turns before and ${min_turns} since.`,
  }[result];
}
