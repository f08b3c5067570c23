import { type ReactNode, useId } from 'react';
import { classes } from '../classes.ts';
import styles from './panel.module.css';

interface PanelProps {
  title?: ReactNode;
  /** Right of the title: buttons, a figure. */
  aside?: ReactNode;
  /** What is inside reaches its edges: tables, lists. */
  isFlush?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** A part of a view with a heading of its own. */
export function Panel({ title, aside, isFlush = false, className, children }: PanelProps) {
  const id = useId();
  return (
    <section className={classes(styles.panel, className)} aria-labelledby={title ? id : undefined}>
      {title !== undefined && (
        <header className={styles.header}>
          <h2 id={id}>{title}</h2>
          {aside}
        </header>
      )}
      <div className={isFlush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}
