import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { useMedia } from '../../design/hooks/use-media.ts';
import type { Tree } from '../model/tree.ts';
import styles from './panel.module.css';
import { NodeDetails, titleOf } from './panel.tsx';

interface ChosenProps {
  tree: Tree;
  node: string;
  limit: number;
  isPast: boolean;
  conversation: string | undefined;
  onClose: () => void;
}

/** What is chosen: beside the tree, or over it where there is no room. */
export function Chosen({ tree, node, limit, isPast, conversation, onClose }: ChosenProps) {
  const isWide = useMedia('(min-width: 1500px)');
  const { icon, text } = titleOf(tree, node);
  const title = (
    <span className={styles.heading}>
      {icon}
      <bdi>{text}</bdi>
    </span>
  );
  const details = <NodeDetails key={node} {...{ tree, node, limit, isPast, conversation }} />;
  if (isWide) {
    return (
      <SidePanel title={title} onClose={onClose}>
        {details}
      </SidePanel>
    );
  }
  return (
    <Dialog isOpen isSheet title={title} onClose={onClose}>
      <div className={styles.sheet}>{details}</div>
    </Dialog>
  );
}

/** Beside the tree, where there is room. */
function SidePanel({
  title,
  onClose,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <aside aria-label="What is chosen" className={styles.side}>
      <header className={styles.header}>
        <h2>{title}</h2>
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
