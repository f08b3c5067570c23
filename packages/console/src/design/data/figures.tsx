import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Tooltip } from '../controls/tooltip.tsx';
import { useNow } from '../hooks/use-now.ts';
import styles from './figures.module.css';
import { ago, fullTime } from './format.ts';

export interface Figure {
  name: string;
  value: ReactNode;
  /** Under the value: what it means, where it is from. */
  note?: ReactNode;
  tone?: 'good' | 'warn' | 'bad';
}

/** A row of figures with their names. */
export function Figures({ figures, label }: { figures: readonly Figure[]; label: string }) {
  return (
    <dl className={styles.figures} aria-label={label}>
      {figures.map(({ name, value, note, tone }) => (
        <div key={name} className={styles.figure}>
          <dt>{name}</dt>
          <dd className={classes(styles.value, tone && styles[tone])}>{value}</dd>
          {note !== undefined && <dd className={styles.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** How long ago, with the time itself when one points at it. */
export function Time({ at }: { at: string | number }) {
  const now = useNow();
  const time = new Date(at).getTime();
  return (
    <Tooltip text={fullTime(time)}>
      <time dateTime={new Date(time).toISOString()}>{ago(time, now)}</time>
    </Tooltip>
  );
}

/** The mark of what nobody but us has reckoned. */
export function Estimate({ children }: { children: ReactNode }) {
  return (
    <Tooltip text="Estimated by Infold, not reported by the provider">
      <span className={styles.estimate}>≈ {children}</span>
    </Tooltip>
  );
}
