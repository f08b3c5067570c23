import { count, day as dayOf } from '../../design/data/format.ts';
import { Unseen } from '../../design/layout/placeholders.tsx';
import styles from './days.module.css';

interface Day {
  day: string;
  loaded: number;
  referred: number;
}

interface DaysProps {
  /** Oldest first. */
  days: readonly Day[];
  revisions?: readonly { revision: number; from: string }[];
}

const MOST = 60;

/** Loads and references of the last days on which there were any. */
export function Days({ days, revisions = [] }: DaysProps) {
  const shown = days.slice(-MOST);
  const most = Math.max(1, ...shown.flatMap(({ loaded, referred }) => [loaded, referred]));
  const height = (value: number) => ({ height: `${(value / most) * 100}%` });
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span>
          Days of use{shown.length < days.length ? `, the last ${MOST}` : ''}; a full bar is {count(most)}
        </span>
        <span className={styles.keys}>
          <span className={styles.loaded}>loaded</span>
          <span className={styles.referred}>referred to</span>
          {revisions.length > 0 && <span className={styles.revised}>revision</span>}
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className={styles.days} tabIndex={0} aria-label="Days of use">
        {shown.map(({ day, loaded, referred }) => {
          const made = revisions.filter(({ from }) => from.startsWith(day));
          const words = `${dayOf(Date.parse(day))}: loaded ${count(loaded)}, referred to ${count(referred)}${
            made.length > 0 ? `, revision ${made.map(({ revision }) => revision).join(', ')}` : ''
          }`;
          return (
            <li key={day} title={words} className={made.length > 0 ? styles.made : undefined}>
              <span aria-hidden className={styles.bar} style={height(loaded)} />
              <span aria-hidden className={styles.other} style={height(referred)} />
              <Unseen>{words}</Unseen>
            </li>
          );
        })}
      </ol>
    </figure>
  );
}
