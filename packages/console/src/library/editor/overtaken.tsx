import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Loading } from '../../design/layout/placeholders.tsx';
import styles from './editor.module.css';

const DiffView = lazy(() => import('../code/diff.tsx'));

interface OvertakenProps {
  before: string;
  after: string;
  onTake: () => void;
}

/** Somebody published another text while this one was written: to save now would undo that unseen. */
export function Overtaken({ before, after, onTake }: OvertakenProps) {
  return (
    <section role="alert" className={styles.overtaken}>
      <p>
        <TriangleAlert aria-hidden /> The text has changed since you began. This is what changed; take over
        what you need, then go on.
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
