import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './badge.module.css';

export type Tone = 'mute' | 'good' | 'warn' | 'bad' | 'note';

/** A word or two on coloured ground. The words carry the meaning: colour alone says nothing. */
export function Badge({
  tone = 'mute',
  icon,
  children,
}: {
  tone?: Tone;
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <span className={classes(styles.badge, styles[tone])}>
      {icon}
      {children}
    </span>
  );
}
