import type { Refused, SentFile } from './report.ts';

/** A file that somebody dropped or picked, at its path in what they dropped. */
export interface PickedFile {
  path: string;
  file: File;
}

export interface ReadFiles {
  files: SentFile[];
  refused: Refused[];
  /** What is no Markdown, and was not looked at. */
  others: number;
}

const MARKDOWN = /\.(?:md|mdc|markdown)$/i;
/** Rules of other tools have such names; which of them the library takes is the server's to say. */
const DOTFILE = /(?:^|\/)\.[\w-]+$/;
const SKIPPED = new Set(['node_modules', '.git']);
const MOST_FILES = 20_000;
const MOST_BYTES = 2_000_000;

const isOfInterest = (path: string) =>
  (MARKDOWN.test(path) || DOTFILE.test(path)) && !path.split('/').some((folder) => SKIPPED.has(folder));

/** Everything in what was dropped, however deep. The folder itself is no part of paths. */
export async function filesOfDrop(transfer: DataTransfer): Promise<PickedFile[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  // What was dropped is forgotten as soon as anything is waited for.
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const isOneFolder = dropped.length === 1 && dropped[0]!.entry?.isDirectory === true;
  const found: PickedFile[] = [];
  for (const { entry, file } of dropped) {
    if (entry?.isDirectory)
      await walk(entry as FileSystemDirectoryEntry, isOneFolder ? '' : entry.name, found);
    else if (file) found.push({ path: file.name, file });
  }
  return found;
}

async function walk(folder: FileSystemDirectoryEntry, path: string, found: PickedFile[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (entries.length === 0 || found.length >= MOST_FILES) return;
    for (const entry of entries) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, inner, found);
      else {
        const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
        found.push({ path: inner, file });
      }
    }
  }
}

/** Of a field for files or for a folder. */
export function filesOfField(list: FileList): PickedFile[] {
  return [...list].map((file) => {
    const { webkitRelativePath: path } = file;
    return { path: path === '' ? file.name : path.slice(path.indexOf('/') + 1), file };
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export async function readFiles(picked: readonly PickedFile[]): Promise<ReadFiles> {
  const wanted = picked.filter(({ path }) => isOfInterest(path));
  const answer: ReadFiles = { files: [], refused: [], others: picked.length - wanted.length };
  for (const { path, file } of wanted) {
    if (file.size > MOST_BYTES) {
      answer.refused.push({ path, reason: 'is larger than 2 MB' });
      continue;
    }
    try {
      answer.files.push({ path, content: decoder.decode(await file.arrayBuffer()) });
    } catch (error) {
      const reason = error instanceof TypeError ? 'is not valid UTF-8' : 'could not be read';
      answer.refused.push({ path, reason });
    }
  }
  return answer;
}
