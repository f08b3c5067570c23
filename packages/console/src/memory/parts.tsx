import { Link } from '@tanstack/react-router';
import { ArrowRightLeft, Layers } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../design/data/badge.tsx';
import { Time } from '../design/data/figures.tsx';
import { type ItemPlace, itemSearch } from './address.ts';
import { inWords } from './kinds.ts';
import styles from './parts.module.css';
import type { Brief } from './queries.ts';

interface ItemLinkProps {
  item: ItemPlace;
  children: ReactNode;
  className?: string | undefined;
}

export function ItemLink({ item, children, className }: ItemLinkProps) {
  return (
    <Link to="/memory/$page" params={{ page: 'item' }} search={itemSearch(item)} className={className}>
      <bdi>{children}</bdi>
    </Link>
  );
}

/** An item in a list, by its name. */
export function ItemName({ item, children }: Omit<ItemLinkProps, 'className'>) {
  return (
    <ItemLink item={item} className={styles.name}>
      {children}
    </ItemLink>
  );
}

/** The first lines of what an item says. */
export function Passage({ children }: { children: ReactNode }) {
  return (
    <p className={styles.passage} dir="auto">
      {children}
    </p>
  );
}

export function Kind({ kind }: { kind: string }) {
  return <Badge>{inWords(kind)}</Badge>;
}

export function Superseded() {
  return (
    <Badge tone="warn" icon={<Layers aria-hidden />}>
      superseded
    </Badge>
  );
}

export function Contradicted() {
  return (
    <Badge tone="bad" icon={<ArrowRightLeft aria-hidden />}>
      contradicted
    </Badge>
  );
}

/** Small facts in a row; those that are not there are left out. */
export function Line({ children }: { children: ReactNode }) {
  return <div className={styles.line}>{children}</div>;
}

/** What an item is, whose, and since when. */
export function AboutItem({ item }: { item: Brief }) {
  return (
    <Line>
      <Kind kind={item.kind} />
      {item.superseded_by !== null && <Superseded />}
      {item.author !== null && <bdi>{item.author}</bdi>}
      {item.project !== null && <bdi>{item.project}</bdi>}
      <Time at={item.created_at} />
    </Line>
  );
}
