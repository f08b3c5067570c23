import { classes } from '../classes.ts';
import styles from './meter.module.css';

/** How much of something is taken. Say it in words beside it, too. */
export function Meter({
  value,
  label,
  tone = 'good',
}: {
  /** From 0 to 1; more is shown as full. */
  value: number;
  label: string;
  tone?: 'good' | 'warn' | 'bad';
}) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers do not let one style a meter alike
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={styles.meter}
    >
      <div className={classes(styles.fill, styles[tone])} style={{ width: `${percent}%` }} />
    </div>
  );
}
