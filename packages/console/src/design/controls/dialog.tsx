import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useState } from 'react';
import { classes } from '../classes.ts';
import styles from './dialog.module.css';

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Beside the view instead of over its middle: for reading something long. */
  isSheet?: boolean;
  /** Closed by its own buttons alone: for what cannot be seen again. */
  isHeld?: boolean;
  /** Something is written in it: Escape, or a press beside it, does not throw that away. */
  hasText?: boolean;
  children: ReactNode;
  /** Buttons at the end. */
  actions?: ReactNode;
  /** What somebody came for: it has the focus when it opens. */
  focusFirst?: RefObject<HTMLElement | null>;
}

export function Dialog({
  isOpen,
  onClose,
  title,
  isSheet = false,
  isHeld = false,
  hasText = false,
  children,
  actions,
  focusFirst,
}: DialogProps) {
  const [isAsked, setAsked] = useState(false);
  const close = (reason: string) => {
    if (isHeld) return;
    const isByChance = reason === 'escape-key' || reason === 'outside-press';
    if (hasText && isByChance) setAsked(true);
    else onClose();
  };
  return (
    <Base.Root open={isOpen} onOpenChange={(open, { reason }) => !open && close(reason)}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          className={classes(styles.popup, isSheet ? styles.sheet : styles.middle)}
          initialFocus={focusFirst}
        >
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {!isHeld && (
              <Base.Close aria-label="Close" className={styles.close}>
                <X aria-hidden />
              </Base.Close>
            )}
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <div className={styles.body} tabIndex={0}>
            {children}
          </div>
          {hasText && isAsked && (
            <p role="alert" className={styles.asked}>
              What you wrote is not saved yet. Only “Cancel” throws it away.
            </p>
          )}
          {actions && <footer className={styles.actions}>{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
