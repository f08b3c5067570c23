import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { useCloseDialog, useReading } from '../address.ts';
import { useItem } from '../queries.ts';
import { useDeed } from './deeds.ts';
import styles from './write.module.css';

/** Erases an item for good: says what goes, and asks first. */
export function ForgetDialog({ id }: { id: string }) {
  const reading = useReading();
  const navigate = useNavigate();
  const { data, error } = useItem(id, reading);
  const close = useCloseDialog();
  const deed = useDeed<void>(async (api) => {
    await api.forgetItem({ id, ...reading });
    // Its page is gone with it, and must not be asked for again.
    await navigate({ to: '/memory/$page', params: { page: 'search' }, search: { project: reading.project } });
    return { said: 'Forgotten for good. This cannot be undone.' };
  });
  return (
    <Dialog
      isOpen
      onClose={close}
      title="Forget this for good?"
      actions={
        <>
          <Button onClick={close}>Keep it</Button>
          <Button look="danger" isBusy={deed.isPending} disabled={!data} onClick={() => deed.mutate()}>
            Forget it for good
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {deed.error && <Problem what="It was not forgotten" error={deed.error} />}
        {error && <Problem what="The item could not be read" error={error} />}
        {!data && !error && <Loading what="the item" />}
        {data && (
          <p className={styles.name}>
            <bdi>{data.name}</bdi>
          </p>
        )}
        <p>
          This goes from the journal, the index and the files, in every project that has an item of this id:
        </p>
        <ul className={styles.list}>
          <li>its text, title, tags, author, source and metadata</li>
          <li>its passages and vectors, and its relations</li>
          <li>what sessions recorded of it when they read or wrote it</li>
        </ul>
        <p>
          What it superseded stays superseded. The journal keeps digests and still verifies; backups made
          before still hold the text.
        </p>
        <p>
          <strong>Forgetting cannot be undone.</strong> To take something out of packs alone, supersede it:
          that can.
        </p>
      </div>
    </Dialog>
  );
}
