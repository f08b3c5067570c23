import { TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Loading } from '../../design/layout/placeholders.tsx';
import styles from './editor.module.css';

const DiffView = lazy(() => import('../code/diff.tsx'));

interface OvertakenProps {
  before: string;
  after: string;
  onTake: () => void;
  /** What happened, if it is more than that. */
  children?: ReactNode;
}

/** Somebody published another text while this one was written: to save now would undo that unseen. */
export function Overtaken({ before, after, onTake, children }: OvertakenProps) {
  return (
    <section role="alert" className={styles.overtaken}>
      <p>
        <TriangleAlert aria-hidden />{' '}
        {children ??
          'The text has changed since you began. This is what changed; take over what you need, then go on.'}
      </p>
      <Suspense fallback={<Loading what="what changed" />}>
        <DiffView before={before} after={after} labels={{ before: 'When you began', after: 'Now' }} />
      </Suspense>
      <div>
        <Button onClick={onTake}>I have seen it: save mine over it</Button>
      </div>
    </section>
  );
}
