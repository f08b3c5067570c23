import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Unseen } from '../design/layout/placeholders.tsx';
import { hasWords, wordsOf } from '../design/match.ts';
import styles from './filter.module.css';

/** Typing is not slowed down by the address, which follows a moment later. */
const PAUSE = 250;

/** Rows that have the words, in whatever order; the words are in the address. */
export function useFilter<Row>(rows: readonly Row[], textOf: (row: Row) => string) {
  const { find = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [sought, setSought] = useState(find);
  useEffect(() => {
    if (sought === find) return;
    const timer = setTimeout(() => {
      const search = (before: object) => ({ ...before, find: sought === '' ? undefined : sought });
      void navigate({ to: '.', search, replace: true });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [sought, find, navigate]);
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
