import { Link, useNavigate } from '@tanstack/react-router';
import { Select } from '../design/field.tsx';
import styles from './page-nav.module.css';
import { PAGES } from './pages.ts';

const OPTIONS = PAGES.map(({ id, name }) => ({ value: id, label: name }));

/** The pages of the view: links, or one field where there is little room. */
export function PageNav({ current }: { current: string }) {
  const navigate = useNavigate();
  return (
    <>
      <nav aria-label="System" className={styles.links}>
        {PAGES.map(({ id, name, icon: Icon }) => (
          <Link
            key={id}
            to="/system/$page"
            params={{ page: id }}
            className={styles.link}
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
          options={OPTIONS}
          value={current}
          onChange={(page) => void navigate({ to: '/system/$page', params: { page } })}
        />
      </div>
    </>
  );
}
