import { Link } from '@tanstack/react-router';
import { PencilLine } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { useObservable } from '../../design/hooks/observable.ts';
import { useLibrarySearch } from '../use-search.ts';
import { searchOf, targetOf } from './target.ts';
import { dropUnsaved, unsavedTexts, whoIs } from './unsaved.ts';
import styles from './unsaved-note.module.css';

/** Says that something was written and not saved, and leads back to it. */
export function Unsaved({ project }: { project: string }) {
  const { status } = useAccount();
  const search = useLibrarySearch();
  const here = targetOf(search) ?? `merge:${search.draft}`;
  const texts = useObservable(unsavedTexts).filter(
    (one) => one.who === whoIs(status) && one.project === project && one.target !== here,
  );
  if (texts.length === 0) return null;
  return (
    <ul className={styles.notes} aria-label="Unsaved texts">
      {texts.map((one) => (
        <li key={one.target} className={styles.note}>
          <PencilLine aria-hidden />
          <span className={styles.words}>
            Your text of <bdi>{one.name}</bdi> is not saved.
          </span>
          <Link to="/library/$page" {...searchOf(one.target, project)}>
            Go on writing
          </Link>
          <Button size="small" look="quiet" onClick={() => dropUnsaved(one)}>
            Throw it away
          </Button>
        </li>
      ))}
    </ul>
  );
}

// Before the page is closed or loaded again, the browser asks: nothing but the page holds these.
addEventListener('beforeunload', (event) => {
  if (unsavedTexts.read().length > 0) event.preventDefault();
});
