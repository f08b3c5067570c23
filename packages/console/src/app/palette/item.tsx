import { Command } from 'cmdk';
import type { ReactNode } from 'react';
import styles from './palette.module.css';

/** Does it, and closes the palette: at once, or when it is done. */
export type Run = (what: () => unknown) => () => void;

interface ItemProps {
  icon: ReactNode;
  note?: string | undefined;
  keys?: string;
  onSelect: () => void;
  /** What it is found by: no two have the same. */
  value: string;
  /** More words to find it by. */
  keywords?: string[];
  children: ReactNode;
}

export function Item({ icon, note, keys, onSelect, value, keywords, children }: ItemProps) {
  return (
    <Command.Item
      className={styles.item}
      onSelect={onSelect}
      value={value}
      {...(keywords !== undefined && { keywords })}
    >
      {icon}
      <bdi className={styles.name}>{children}</bdi>
      {note && <span className={styles.note}>{note}</span>}
      {keys && <kbd className={styles.keys}>{keys}</kbd>}
    </Command.Item>
  );
}

export function PaletteGroup({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group heading={heading} className={styles.group}>
      {children}
    </Command.Group>
  );
}
