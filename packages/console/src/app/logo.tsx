import styles from './logo.module.css';

/** Infold's own mark, in the colours of the theme. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={styles.mark}>
      <rect width="32" height="32" rx="8" />
      <path d="M8 9h16M11 14h10M14 19h4M16 19v5" />
    </svg>
  );
}
