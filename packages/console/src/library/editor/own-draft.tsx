import { Link } from '@tanstack/react-router';
import { useAccount } from '../../api/account.tsx';
import { useDrafts } from '../queries.ts';
import styles from './editor.module.css';

/** Everybody has one draft of a file: to save another text of it replaces what the first one says. */
export function OwnDraft({ project, id }: { project: string; id: string }) {
  const { status } = useAccount();
  const { data } = useDrafts(project, 'open');
  const own = data?.pages
    .flatMap(({ drafts }) => drafts)
    .find((draft) => draft.item_id === id && draft.drafted_by === status?.principal);
  if (!own) return null;
  return (
    <p role="status" className={styles.gone}>
      You have a draft of this file already. What you save here replaces its text:{' '}
      <Link
        to="/library/$page"
        params={{ page: 'drafts' }}
        search={{ project, draft: own.id, ...(own.op === 'update' && { edit: true }) }}
      >
        go on with that draft
      </Link>{' '}
      to keep what it says.
    </p>
  );
}
