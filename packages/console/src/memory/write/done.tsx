import { CircleCheck, Undo2, X } from 'lucide-react';
import { Button, IconButton } from '../../design/controls/button.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { closeLastDeed, useDeed, useLastDeed } from './deeds.ts';
import styles from './done.module.css';

/** Tells what was done, and takes it back. */
export function Done() {
  const deed = useLastDeed();
  const undoing = useDeed<void>(async (api) => {
    await deed!.undo!(api);
    return { said: 'Taken back: everything is as it was before.' };
  });
  return (
    <div role="status" className={styles.status}>
      {deed && (
        <div className={styles.done}>
          <CircleCheck aria-hidden />
          <span className={styles.said}>
            <bdi>{deed.said}</bdi>
          </span>
          {deed.undo && (
            <Button
              size="small"
              icon={<Undo2 aria-hidden />}
              isBusy={undoing.isPending}
              onClick={() => undoing.mutate()}
            >
              Undo
            </Button>
          )}
          <IconButton label="Close" onClick={closeLastDeed}>
            <X aria-hidden />
          </IconButton>
        </div>
      )}
      {undoing.error && <Problem what="It was not taken back" error={undoing.error} />}
    </div>
  );
}
