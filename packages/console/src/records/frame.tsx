import { Link } from '@tanstack/react-router';
import { Table2, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { Page } from '../design/layout/page.tsx';
import styles from '../design/layout/view-links.module.css';

const PAGES = [
  { to: '/records', name: 'Sources', icon: Table2, exact: true },
  { to: '/records/workflows', name: 'Workflows', icon: Workflow, exact: false },
] as const;

/** What both pages of the view begin with. */
export function Frame({ about, children }: { about: string; children: ReactNode }) {
  return (
    <Page title="Records" about={about}>
      <nav aria-label="Records" className={styles.links}>
        {PAGES.map(({ to, name, icon: Icon, exact }) => (
          <Link key={to} to={to} className={styles.link} activeOptions={{ exact }}>
            <Icon aria-hidden />
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
