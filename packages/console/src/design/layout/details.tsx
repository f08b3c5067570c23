import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import styles from './details.module.css';
import pane from './pane.module.css';

interface DetailsPaneProps {
  label: string;
  icon: ReactNode;
  title: ReactNode;
  /** Whether there is room for it beside what it is about. */
  isBeside: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** What is chosen: beside the list that it was chosen from, or over it where there is no room. */
export function DetailsPane({ label, icon, title, isBeside, onClose, children }: DetailsPaneProps) {
  const heading = (
    <span className={styles.title}>
      {icon}
      <bdi>{title}</bdi>
    </span>
  );
  if (!isBeside) {
    return (
      <Dialog isOpen isSheet title={heading} onClose={onClose}>
        <div className={styles.sheet}>{children}</div>
      </Dialog>
    );
  }
  return (
    <aside aria-label={label} className={pane.pane}>
      <header className={styles.header}>
        <h2>{heading}</h2>
        <IconButton label="Close" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div className={styles.scroll} tabIndex={0}>
        {children}
      </div>
    </aside>
  );
}
