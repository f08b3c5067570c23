import { Link } from '@tanstack/react-router';
import { Building2, ChevronDown, ChevronRight, FileText, Search, Sparkles, Workflow } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react';
import { classes } from '../../design/classes.ts';
import { count, plural } from '../../design/data/format.ts';
import { useFind } from '../../design/hooks/use-find.ts';
import { Unseen } from '../../design/layout/placeholders.tsx';
import { type RowFocus, Rows } from '../../design/list/long-list.tsx';
import type { LibraryItem } from '../queries.ts';
import { META_PROMPT, type Toggled, type TreeRow, treeRows } from './rows.ts';
import styles from './tree.module.css';

const ROW = 30;

interface TreeProps {
  project: string;
  items: readonly LibraryItem[];
  chosen: string | undefined;
}

/** All files of a library in their folders. */
export function FileTree({ project, items, chosen }: TreeProps) {
  const [sought, setSought] = useFind();
  const [toggled, setToggled] = useState<Toggled>(new Map());
  const wanted = useDeferredValue(sought);
  const rows = useMemo(() => treeRows(items, wanted, toggled), [items, wanted, toggled]);
  const toggle = (key: string, isOpen: boolean) => setToggled((before) => new Map(before).set(key, isOpen));
  return (
    <nav aria-label="Files" className={styles.tree}>
      <label className={styles.find}>
        <Search aria-hidden />
        <Unseen>Find a file</Unseen>
        <input
          type="search"
          placeholder="Path or description"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      </label>
      {rows.length > 0 ? (
        <Rows
          label={plural(items.length, 'file')}
          count={rows.length}
          height={ROW}
          most="max(20rem, calc(100dvh - 16rem))"
          keyOf={(place) => rows[place]!.key}
        >
          {(place, focus) => <Row row={rows[place]!} {...{ project, chosen, focus, toggle }} />}
        </Rows>
      ) : (
        <p className={styles.nothing}>No file has these words in its path or description.</p>
      )}
    </nav>
  );
}

const ICONS = { rule: FileText, workflow: Workflow, context: FileText };

interface RowProps {
  row: TreeRow;
  project: string;
  chosen: string | undefined;
  focus: RowFocus;
  toggle: (key: string, isOpen: boolean) => void;
}

function Row({ row, project, chosen, focus, toggle }: RowProps) {
  if (row.type === 'folder') {
    const { key, name, files, isOpen } = row;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'ArrowRight' && !isOpen) toggle(key, true);
      if (event.key === 'ArrowLeft' && isOpen) toggle(key, false);
    };
    return (
      <button
        type="button"
        aria-expanded={isOpen}
        className={classes(styles.row, styles.folder, row.depth === 0 && styles.group)}
        style={{ paddingLeft: indent(row.depth) }}
        onClick={() => toggle(key, !isOpen)}
        onKeyDown={onKeyDown}
        {...focus}
      >
        {isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        <bdi className={styles.name}>{name}</bdi>
        <span className={styles.count}>
          {count(files)}
          <Unseen> files</Unseen>
        </span>
      </button>
    );
  }
  const isMeta = row.type === 'meta';
  const id = isMeta ? META_PROMPT : row.item.id;
  const Icon = isMeta ? Sparkles : ICONS[row.item.kind];
  const isChosen = chosen !== undefined && (chosen === id || (!isMeta && chosen === row.item.path));
  return (
    <Link
      to="/library/$page"
      params={{ page: 'files' }}
      search={(before) => ({ project, item: id, find: before.find })}
      aria-current={isChosen ? 'page' : undefined}
      className={classes(styles.row, isChosen && styles.chosen)}
      style={{ paddingLeft: indent(row.depth) }}
      title={isMeta ? undefined : row.item.path}
      {...focus}
    >
      <Icon aria-hidden />
      <bdi className={styles.name}>{isMeta ? 'Meta prompt' : nameOf(row.item.path)}</bdi>
      {!isMeta && row.item.deprecated && <span className={styles.count}>deprecated</span>}
      {!isMeta && row.item.organisation !== undefined && (
        <>
          <Building2 aria-hidden />
          <Unseen>, from the organisation’s library</Unseen>
        </>
      )}
    </Link>
  );
}

const indent = (depth: number) => `calc(var(--space-2) + ${Math.min(depth, 8)} * 0.875rem)`;
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
