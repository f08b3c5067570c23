import type { ReactNode } from 'react';
import { useTitle } from '../hooks/use-title.ts';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Under the title: where one is, in a few words. */
  about?: ReactNode;
  /** Right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** What every view begins with. The title is the document's too. */
export function Page({ title, about, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div className={styles.words}>
          <h1>{title}</h1>
          {about !== undefined && <div className={styles.about}>{about}</div>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
