import { hasWords, wordsOf } from '../../design/match.ts';
import type { LibraryItem } from '../queries.ts';

/** The meta prompt is no file of the list, and has a reserved path. */
export const META_PROMPT = 'META_PROMPT.md';

export type TreeRow =
  | { type: 'meta'; key: string; depth: 0 }
  | { type: 'folder'; key: string; depth: number; name: string; files: number; isOpen: boolean }
  | { type: 'file'; key: string; depth: number; item: LibraryItem };

const GROUPS = [
  { kind: 'rule', name: 'Rules', folder: undefined },
  { kind: 'workflow', name: 'Workflows', folder: 'workflow' },
  { kind: 'context', name: 'Context', folder: 'context' },
] as const;

interface Folder {
  folders: Map<string, Folder>;
  items: LibraryItem[];
  files: number;
}

const emptyFolder = (): Folder => ({ folders: new Map(), items: [], files: 0 });

/** The folders in which an item is shown: its group's own is not named again. */
function foldersOf({ path }: LibraryItem, own: string | undefined): string[] {
  const folders = path.split('/').slice(0, -1);
  return folders[0] === own ? folders.slice(1) : folders;
}

function folderOf(items: readonly LibraryItem[], own: string | undefined): Folder {
  const root = emptyFolder();
  for (const item of items) {
    let folder = root;
    folder.files++;
    for (const name of foldersOf(item, own)) {
      const inner = folder.folders.get(name) ?? emptyFolder();
      folder.folders.set(name, inner);
      folder = inner;
      folder.files++;
    }
    folder.items.push(item);
  }
  return root;
}

/** Of a large library one opens folders; a small one is seen at once. */
const SMALL = 150;

/** Whether the reader has opened or closed a folder; undefined where they left it as it was. */
export type Toggled = ReadonlyMap<string, boolean>;

/** What the tree shows, from the top down. With words, only what has them, and everything is open. */
export function treeRows(items: readonly LibraryItem[], sought: string, toggled: Toggled): TreeRow[] {
  const words = wordsOf(sought);
  const found = items.filter(({ path, description }) => hasWords(`${path} ${description ?? ''}`, words));
  const isSmall = found.length <= SMALL || words.length > 0;
  const rows: TreeRow[] = [];
  if (hasWords(`meta prompt ${META_PROMPT}`, words)) rows.push({ type: 'meta', key: META_PROMPT, depth: 0 });
  const add = (folder: Folder, name: string, key: string, depth: number) => {
    const isOpen = words.length > 0 || (toggled.get(key) ?? (isSmall || depth === 0));
    rows.push({ type: 'folder', key, depth, name, files: folder.files, isOpen });
    if (!isOpen) return;
    for (const [inner, content] of [...folder.folders].sort(([one], [other]) => (one < other ? -1 : 1))) {
      add(content, inner, `${key}/${inner}`, depth + 1);
    }
    for (const item of folder.items) rows.push({ type: 'file', key: item.id, depth: depth + 1, item });
  };
  for (const { kind, name, folder } of GROUPS) {
    const own = found.filter((item) => item.kind === kind);
    if (own.length > 0) add(folderOf(own, folder), name, kind, 0);
  }
  return rows;
}
