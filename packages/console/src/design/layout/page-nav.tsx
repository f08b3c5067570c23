import { Link, useNavigate } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { classes } from '../classes.ts';
import { Select } from '../controls/field.tsx';
import styles from './page-nav.module.css';
import links from './view-links.module.css';

interface PageNavProps {
  /** The view whose pages they are. */
  view: '/system' | '/memory';
  label: string;
  pages: readonly { id: string; name: string; icon: LucideIcon }[];
  current: string | undefined;
  /** What stays in the address from page to page. */
  search?: Record<string, string | undefined>;
}

/** What the field says at an address that is no page. */
const NONE = { value: '', label: 'Choose a page' };

/** The pages of a view: links, or one field where there is little room. */
export function PageNav({ view, label, pages, current, search = {} }: PageNavProps) {
  const navigate = useNavigate();
  const to = `${view}/$page` as const;
  const options = pages.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <nav aria-label={label} className={classes(links.links, styles.links)}>
        {pages.map(({ id, name, icon: Icon }) => (
          <Link
            key={id}
            to={to}
            params={{ page: id }}
            search={search}
            className={links.link}
            aria-current={id === current ? 'page' : undefined}
          >
            <Icon aria-hidden />
            {name}
          </Link>
        ))}
      </nav>
      <div className={styles.choice}>
        <Select
          label="Page"
          options={current === undefined ? [NONE, ...options] : options}
          value={current ?? NONE.value}
          onChange={(page) => page !== NONE.value && void navigate({ to, params: { page }, search })}
        />
      </div>
    </>
  );
}
