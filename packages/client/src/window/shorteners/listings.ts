import { type Group, groupsText, isComplaint } from './groups.ts';

const TREE = /^(?:[│| ]{0,400}(?:├|└|\||`|\+)(?:──|--|─┬|─)|[│\s]{4,400}\S)/;
const LONG = /^[-dlbcps][-rwxsStT]{9}[+.@]?\s/;
/** `ls -R` and `du` write these lines for themselves. */
const FOLDER = /^[^\n]{1,1000}:$/;
const TOTAL =
  /^(?:\d+ director(?:y|ies), \d+ files?|Found \d+ (?:files?|items?).{0,300}|\(?Results are truncated.{0,300})$/;

/**
 * Shortens names of files: by folder, the first ones and the last, and how many more there are. Where only paths can be meant,
 * every name has to look like one.
 */
export function shortenListing(lines: readonly string[], isOfPaths: boolean): string | undefined {
  const filled = lines.filter((line) => line.trim() !== '');
  if (filled.length < 30) return undefined;
  const trees = filled.filter((line) => TREE.test(line)).length;
  const isTree = trees > filled.length * 0.7;
  if (!isTree && !filled.every(isOfPaths ? isPath : isName)) return undefined;
  const isByFolder = filled.some((line) => FOLDER.test(line));

  const groups: Group[] = [];
  const byFolder = new Map<string, Group>();
  const totals: string[] = [];
  let group: Group | undefined;
  const begin = (name: string, header?: string): Group => {
    const begun = { name, lines: [], size: 0, ...(header === undefined ? {} : { header }) };
    groups.push(begun);
    byFolder.set(name, begun);
    return begun;
  };
  let depth = -1;
  for (const line of filled) {
    if (TOTAL.test(line) || isComplaint(line)) {
      totals.push(line);
      continue;
    }
    if (isTree) {
      const before = depth;
      depth = line.search(/[^│├└─┬┼|`\s+-]/);
      if (group === undefined || depth !== before) group = begin('');
    } else if (isByFolder) {
      if (FOLDER.test(line)) {
        group = begin(line.slice(0, -1), line);
        continue;
      }
      group ??= begin('');
    } else {
      const folder = folderOf(line);
      group = byFolder.get(folder) ?? begin(folder);
    }
    group.lines.push(line);
    group.size++;
  }
  return groupsText(totals, groups, 'name', isTree ? '' : 'folder');
}

function isPath(line: string): boolean {
  return (
    TOTAL.test(line) || isComplaint(line) || (isName(line) && /^(?:[A-Za-z]:)?[^:]*[./\\][^:]*$/.test(line))
  );
}

function isName(line: string): boolean {
  if (LONG.test(line) || FOLDER.test(line) || TOTAL.test(line) || isComplaint(line)) return true;
  // A sentence is no name.
  return line.length < 1_000 && line.split(' ').length <= 6 && !/: |[.;,]$/.test(line);
}

function folderOf(line: string): string {
  const path = LONG.test(line) ? '' : line.replace(/\/$/, '');
  return path.slice(0, Math.max(0, path.search(/[/\\][^/\\]*$/)));
}
