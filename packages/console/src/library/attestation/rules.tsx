import { Link, useNavigate } from '@tanstack/react-router';
import { Choice } from '../../design/controls/choice.tsx';
import { Badge, type Tone } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { readSort, writeSort } from '../../design/table/sort.ts';
import { type Column, Table } from '../../design/table/table.tsx';
import { breakable } from '../breakable.tsx';
import type { RuleUsage } from '../queries.ts';
import type { LibrarySearch } from '../search.ts';
import { useLibrarySearch } from '../use-search.ts';
import styles from './rules.module.css';

const STATES: Record<RuleUsage['state'], { text: string; tone: Tone }> = {
  referred: { text: 'referred to', tone: 'good' },
  loaded_never_referred: { text: 'loaded, never referred to', tone: 'warn' },
  loaded: { text: 'loaded', tone: 'note' },
  never_loaded: { text: 'never loaded', tone: 'mute' },
};

const VERDICTS: Partial<Record<NonNullable<RuleUsage['why']>, { text: string; tone: Tone }>> = {
  never_loaded: { text: 'dead: never loaded', tone: 'bad' },
  never_referred: { text: 'dead: never referred to', tone: 'bad' },
  rejected: { text: 'fought over: rejected', tone: 'bad' },
  edited: { text: 'fought over: changed again and again', tone: 'bad' },
};

type Shown = 'all' | 'unused' | 'claimed' | 'dead' | 'fought';
const SHOWN: Record<Shown, (rule: RuleUsage) => boolean> = {
  all: () => true,
  unused: ({ state }) => state === 'loaded_never_referred',
  claimed: ({ claimed_without_loading, stale }) => claimed_without_loading + stale > 0,
  dead: ({ verdict }) => verdict === 'dead',
  fought: ({ verdict }) => verdict === 'fought_over',
};

/** What was seen too seldom is not called anything. */
const NONE: Partial<Record<Shown, string>> = {
  dead: 'None, or not enough was seen yet: a rule is called dead 30 days after it was published, when nobody loaded it in 20 turns, or nobody referred to it in 20 turns that loaded it.',
  fought:
    'None, or not enough was seen yet: a rule is fought over when agents reject a fifth of 20 turns or more, or when it was reworded or declined 4 times.',
};

/** Every published file with how often it was loaded and referred to. */
export function RuleTable({ project, rules }: { project: string; rules: readonly RuleUsage[] }) {
  const navigate = useNavigate();
  const { only: shown = 'all', sort: sortText } = useLibrarySearch();
  const sort = readSort(sortText, { by: 'Referred to', isDown: true });
  const go = (change: LibrarySearch) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...change }), replace: true });
  const columns: Column<RuleUsage>[] = [
    {
      name: 'File',
      sortBy: ({ path }) => path,
      cell: ({ id, path }) => (
        <Link
          to="/library/$page"
          params={{ page: 'files' }}
          search={{ project, item: id, show: 'usage' }}
          className={styles.file}
        >
          <bdi>{breakable(path)}</bdi>
        </Link>
      ),
    },
    {
      name: 'State',
      sortBy: ({ state }) => state,
      cell: ({ state, claimed_without_loading, stale, why }) => (
        <span className={styles.badges}>
          {why && <Badge tone={VERDICTS[why]!.tone}>{VERDICTS[why]!.text}</Badge>}
          <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
          {claimed_without_loading > 0 && (
            <Badge tone="warn">{count(claimed_without_loading)}× without a load</Badge>
          )}
          {stale > 0 && <Badge tone="warn">{count(stale)}× out of date</Badge>}
        </span>
      ),
    },
    {
      name: 'Loaded',
      isFigure: true,
      isExtra: true,
      sortBy: ({ loaded }) => loaded,
      cell: ({ loaded }) => count(loaded),
    },
    {
      name: 'Referred to',
      isFigure: true,
      sortBy: ({ referred }) => referred,
      cell: ({ referred }) => count(referred),
    },
    {
      name: 'Rejected turns',
      isFigure: true,
      isExtra: true,
      sortBy: ({ rejected_turns }) => rejected_turns,
      cell: ({ rejected_turns }) => count(rejected_turns),
    },
    {
      name: 'Last loaded',
      isFigure: true,
      isExtra: true,
      sortBy: ({ last_loaded_at }) => last_loaded_at,
      cell: ({ last_loaded_at }) => (last_loaded_at === null ? '–' : <Time at={last_loaded_at} />),
    },
  ];
  const rows = rules.filter(SHOWN[shown]);
  return (
    <div className={styles.layout}>
      <div className={styles.choice}>
        <Choice
          label="Files"
          value={shown}
          onChange={(only) => go({ only: only === 'all' ? undefined : only })}
          options={[
            { value: 'all', label: `All (${count(rules.length)})` },
            { value: 'unused', label: `Never referred to (${count(rules.filter(SHOWN.unused).length)})` },
            { value: 'dead', label: `Dead (${count(rules.filter(SHOWN.dead).length)})` },
            { value: 'fought', label: `Fought over (${count(rules.filter(SHOWN.fought).length)})` },
            { value: 'claimed', label: `Doubtful claims (${count(rules.filter(SHOWN.claimed).length)})` },
          ]}
        />
      </div>
      {rows.length > 0 ? (
        <Table
          caption="Use of files"
          {...{ columns, rows, sort }}
          onSort={(by) => go({ sort: writeSort(by) })}
          keyOf={({ id }) => id}
        />
      ) : (
        <p className={styles.soft}>{NONE[shown] ?? 'There is none.'}</p>
      )}
    </div>
  );
}
