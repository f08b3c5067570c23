import { Link } from '@tanstack/react-router';
import { Badge } from '../design/data/badge.tsx';
import { count } from '../design/data/format.ts';
import { Unseen } from '../design/layout/placeholders.tsx';
import styles from '../design/layout/view-links.module.css';
import { LIBRARY_PAGES, type LibraryPageId } from './pages.ts';
import { useStatus } from './queries.ts';

interface NavProps {
  current: LibraryPageId | undefined;
  project: string | undefined;
}

/** The pages of the view, with how many drafts are open. */
export function LibraryNav({ current, project }: NavProps) {
  return (
    <nav aria-label="Library" className={styles.links}>
      {LIBRARY_PAGES.map(({ id, name, icon: Icon }) => (
        <Link
          key={id}
          to="/library/$page"
          params={{ page: id }}
          search={{ project }}
          className={styles.link}
          aria-current={id === current ? 'page' : undefined}
        >
          <Icon aria-hidden />
          {name}
          {id === 'drafts' && project !== undefined && <OpenDrafts project={project} />}
        </Link>
      ))}
    </nav>
  );
}

function OpenDrafts({ project }: { project: string }) {
  const { data } = useStatus(project);
  if (!data || data.drafts === 0) return null;
  return (
    <Badge tone={data.conflicts.length > 0 ? 'warn' : data.in_review > 0 ? 'note' : 'mute'}>
      {count(data.drafts)}
      <Unseen> open</Unseen>
    </Badge>
  );
}
