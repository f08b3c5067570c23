import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { IconButton } from '../../design/controls/button.tsx';
import { count } from '../../design/data/format.ts';
import styles from './pager.module.css';

interface PagerProps {
  page: number;
  /** Undefined where nobody counted. */
  pages: number | undefined;
  hasMore: boolean;
  onGo: (page: number) => void;
}

export function Pager({ page, pages, hasMore, onGo }: PagerProps) {
  const [typed, setTyped] = useState(String(page));
  useEffect(() => setTyped(String(page)), [page]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = Math.trunc(Number(typed.replaceAll(/[\s,.]/g, '')));
    if (wanted >= 1) onGo(Math.min(wanted, pages ?? Number.MAX_SAFE_INTEGER));
    else setTyped(String(page));
  };
  return (
    <nav aria-label="Pages" className={styles.pager}>
      <IconButton label="First page (Ctrl Home)" disabled={page <= 1} onClick={() => onGo(1)}>
        <ChevronFirst aria-hidden />
      </IconButton>
      <IconButton label="Previous page (Page Up)" disabled={page <= 1} onClick={() => onGo(page - 1)}>
        <ChevronLeft aria-hidden />
      </IconButton>
      <form onSubmit={submit} className={styles.form}>
        <label>
          Page{' '}
          <input
            inputMode="numeric"
            className={styles.input}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={submit}
          />
        </label>
        {pages !== undefined && <span> of {count(pages)}</span>}
      </form>
      <IconButton label="Next page (Page Down)" disabled={!hasMore} onClick={() => onGo(page + 1)}>
        <ChevronRight aria-hidden />
      </IconButton>
      <IconButton
        label="Last page (Ctrl End)"
        disabled={pages === undefined || page >= pages}
        onClick={() => onGo(pages!)}
      >
        <ChevronLast aria-hidden />
      </IconButton>
    </nav>
  );
}
