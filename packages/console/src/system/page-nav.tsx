import { Link, useNavigate } from '@tanstack/react-router';
import { Select } from '../design/controls/field.tsx';
import styles from './page-nav.module.css';
import { PAGES, type PageId } from './pages.ts';

const OPTIONS = PAGES.map(({ id, name }) => ({ value: id, label: name }));
/** What the field says at an address that is no page. */
const NONE = { value: '', label: 'Choose a page' };

/** The pages of the view: links, or one field where there is little room. */
export function PageNav({ current }: { current: PageId | undefined }) {
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
          options={current === undefined ? [NONE, ...OPTIONS] : OPTIONS}
          value={current ?? NONE.value}
          onChange={(page) => page !== NONE.value && void navigate({ to: '/system/$page', params: { page } })}
        />
      </div>
    </>
  );
}
