import { ChevronRight } from 'lucide-react';
import { classes } from '../classes.ts';
import styles from './twig.module.css';

interface TwigProps {
  /** Undefined for what has nothing below it. */
  isOpen: boolean | undefined;
  className?: string | undefined;
  onToggle: (isOpen: boolean) => void;
}

/** Where a row of a tree is opened with a pointer. Keys are the grid's, and so it is hidden from who cannot see it. */
export function Twig({ isOpen, className, onToggle }: TwigProps) {
  if (isOpen === undefined) return <span className={classes(styles.twig, className)} />;
  return (
    <span
      aria-hidden
      className={classes(styles.twig, styles.toggle, isOpen && styles.open, className)}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(!isOpen);
      }}
    >
      <ChevronRight />
    </span>
  );
}
