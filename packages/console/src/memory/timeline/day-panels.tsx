import { day, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
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
