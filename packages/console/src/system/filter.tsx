import { Search } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useFind } from '../design/hooks/use-find.ts';
import { Unseen } from '../design/layout/placeholders.tsx';
import { hasWords, wordsOf } from '../design/match.ts';
import styles from './filter.module.css';

/** Rows that have the words, in whatever order; the words are in the address. */
export function useFilter<Row>(rows: readonly Row[], textOf: (row: Row) => string) {
  const [sought, setSought] = useFind();
  const words = wordsOf(sought);
  return { sought, setSought, found: rows.filter((row) => hasWords(textOf(row), words)) };
}

interface FilterFieldProps {
  label: string;
  sought: string;
  onChange: (sought: string) => void;
  /** How many there are of how many. */
  children: ReactNode;
}

export function FilterField({ label, sought, onChange, children }: FilterFieldProps) {
  const id = useId();
  return (
    <div className={styles.filter}>
      <label htmlFor={id}>
        <Search aria-hidden />
        <Unseen>{label}</Unseen>
      </label>
      <input
        id={id}
        type="search"
        placeholder={label}
        className={styles.input}
        value={sought}
        onChange={(event) => onChange(event.target.value)}
      />
      <span role="status" className={styles.count}>
        {children}
      </span>
    </div>
  );
}
