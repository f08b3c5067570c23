import { type Group, groupsText, isComplaint } from './groups.ts';
import { count, gap } from './text.ts';

/** `src/a.ts:12:text`, also with a drive's letter; `12:text` in a single file. */
const PLACED = /^((?:[A-Za-z]:)?[^:\n]{1,1000}):(\d+)[:-]/;
/** `src/a.ts:text`; what only counts has no matches to show. */
const NAMED = /^([^\s:]{0,1000}[./][^\s:]{0,1000}):(?!\d+$)/;
const NUMBERED = /^\s{0,8}(?:L|Line )?\d+: ?/;
const CONTEXT = /^(?:\s{0,8}(?:L|Line )?\d+- ?|--$)/;
const HEADING = /^(?:File: (.{1,1000})|(\S.{0,1000}):)$/;
const TOTAL =
  /^(?:Found \d[\d,]* |No (?:matches|files) found|\[?(?:Showing|Results|Output)\b.{0,200}(?:truncated|limit|of \d)|\d[\d,]* match(?:es)? )/;

/** Shortens what a search found: by file, the first matches, and how many more there are. Context goes. */
export function shortenSearch(lines: readonly string[]): string | undefined {
  const groups = new Map<string, Group>();
  const besides: string[] = [];
  let file = '';
  let header: string | undefined;
  let strange = 0;
  let matches = 0;
  let context = 0;

  function add(name: string, line: string): void {
    let group = groups.get(name);
    if (!group) {
      group = { name, lines: [], size: 0, ...(header === undefined ? {} : { header }) };
      groups.set(name, group);
    }
    group.lines.push(line);
    group.size++;
    matches++;
  }

  for (const line of lines) {
    const start = line.slice(0, 1_200);
    const heading = HEADING.exec(start);
    const isUnderHeading = header !== undefined && NUMBERED.test(start);
    const placed = isUnderHeading ? null : (PLACED.exec(start) ?? (heading ? null : NAMED.exec(start)));
    if (line.trim() === '' || line === '---') continue;
    if (TOTAL.test(start) || isComplaint(start)) {
      besides.push(line);
    } else if (placed) {
      file = placed[1]!;
      header = undefined;
      add(file, line);
    } else if (NUMBERED.test(start)) {
      add(file, line);
    } else if (heading) {
      file = heading[1] ?? heading[2]!;
      header = line;
    } else if (CONTEXT.test(start) || isContext(start, file)) {
      context++;
    } else {
      strange++;
      besides.push(line);
    }
  }
  if (matches < 10 || strange > matches * 0.05) return undefined;
  const found = groupsText(besides, [...groups.values()], 'match', 'file');
  return context === 0 ? found : `${found}\n${gap(`${count(context, 'line')} of context`)}`;
}

/** `src/a.ts-12-text`: of the file of the match before it, or of the next one's. */
function isContext(line: string, file: string): boolean {
  return (file !== '' && line.startsWith(`${file}-`)) || /^.{1,1000}?-\d+-/.test(line);
}
