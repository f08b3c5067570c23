import { classes } from '../../design/classes.ts';
import type { Figure } from '../../design/data/figures.tsx';
import { sparkOf } from './sparkline.ts';
import styles from './tile.module.css';

const WIDTH = 160;
const HEIGHT = 28;

/** A figure with how it came to be. The line says nothing that the words do not. */
export function Tile({ name, value, note, tone, values }: Figure & { values: readonly number[] }) {
  const spark = sparkOf(values, WIDTH, HEIGHT);
  return (
    <div className={styles.tile}>
      <dt>{name}</dt>
      <dd className={classes(styles.value, tone && styles[tone])}>{value}</dd>
      <dd className={styles.note}>{note}</dd>
      {spark && (
        <dd aria-hidden className={styles.chart}>
          <svg
            aria-hidden
            viewBox={`0 -2 ${WIDTH} ${HEIGHT + 3}`}
            preserveAspectRatio="none"
            className={styles.spark}
          >
            <path d={spark.area} className={styles.area} />
            <path d={spark.line} className={styles.line} />
          </svg>
        </dd>
      )}
    </div>
  );
}
