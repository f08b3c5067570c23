import { Button } from '../../design/controls/button.tsx';
import { day, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import type { useTimeline } from '../queries.ts';
import { Briefs } from '../search/briefs.tsx';
import type { Day } from './days.ts';
import styles from './page.module.css';

/** Days with what was stored on them, one below the other. */
export function DayPanels({ days }: { days: readonly Day[] }) {
  return days.map(({ at, items }) => (
    <Panel
      key={at}
      isFlush
      title={<time dateTime={new Date(at).toISOString()}>{day(at)}</time>}
      aside={<span className={styles.count}>{plural(items.length, 'item')}</span>}
    >
      <Briefs items={items} label={day(at)} />
    </Panel>
  ));
}

/** Asks for what is before those days, as long as there is something. */
export function ShowOlder({ timeline }: { timeline: ReturnType<typeof useTimeline> }) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = timeline;
  if (!hasNextPage) return null;
  return (
    <div className={styles.more}>
      <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show older
      </Button>
    </div>
  );
}
