import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { ConversationList, type ListProps } from './list.tsx';
import styles from './picker.module.css';

const Dialog = lazy(() => import('./later-dialog.ts'));

/** The list of conversations where there is no room for it beside them. */
export function ConversationPicker(props: ListProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div className={styles.picker}>
      <Button size="small" onClick={() => setOpen(true)}>
        All conversations
      </Button>
      {isOpen && (
        <Suspense>
          <Dialog isOpen onClose={close} title="Conversations" isSheet>
            <ConversationList {...props} onGo={close} />
          </Dialog>
        </Suspense>
      )}
    </div>
  );
}
