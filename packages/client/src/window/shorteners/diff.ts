import { count, cutMiddle, gap } from './text.ts';

const CHANGED_CHARACTERS = 24_000;
const LINE_CHARACTERS = 500;

const HEADER =
  /^(?:diff |index |--- |\+\+\+ |old mode |new mode |new file mode |deleted file mode |similarity index |dissimilarity index |rename |copy |Binary files |Index: |={60,}$|GIT binary patch$)/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** What `git log -p` and `git show` write before a commit's changes. */
const COMMIT =
  /^(?:commit [0-9a-f]{7,64}|(?:Author|AuthorDate|Commit|CommitDate|Date|Merge|Refs|tag|Tagger):? | {4}|---$|$)/;
/** Files that programs write. */
const GENERATED =
  /(?:^|[/\s])(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|go\.sum|composer\.lock|Gemfile\.lock|flake\.lock|\S+\.min\.(?:js|css)|\S+\.(?:js|css)\.map|\S+\.pb\.go|\S+_pb2\.py)$/;

/** Shortens a text that is unified diffs as a whole: headers stay, and of the hunks what changed, as far as it fits. */
export function shortenDiff(lines: readonly string[]): string | undefined {
  const kept: string[] = [];
  let files = 0;
  let isGenerated = false;
  let budget = CHANGED_CHARACTERS;
  let old = 0;
  let fresh = 0;
  let context: string[] = [];
  let added = 0;
  let removed = 0;

  function close(): void {
    if (added + removed > 0) {
      kept.push(gap(`${count(added, 'added line')} and ${count(removed, 'removed line')}`));
    } else if (context.length > 0) {
      const mark = gap(count(context.length, 'unchanged line'));
      const whole = context.join('\n');
      kept.push(mark.length < whole.length ? mark : whole);
    }
    context = [];
    added = 0;
    removed = 0;
  }

  for (const line of lines) {
    const mark = line[0];
    if (old > 0 || fresh > 0) {
      if (mark === '\\') continue;
      if (mark === ' ' || mark === undefined) {
        old--;
        fresh--;
        context.push(line);
      } else if (mark === '-' || mark === '+') {
        if (mark === '-') old--;
        else fresh--;
        const shown = cutMiddle(line, LINE_CHARACTERS);
        if (isGenerated || shown.length > budget) {
          if (mark === '-') removed++;
          else added++;
        } else {
          close();
          budget -= shown.length;
          kept.push(shown);
        }
      } else {
        return undefined;
      }
      if (old < 0 || fresh < 0) return undefined;
      continue;
    }
    const hunk = HUNK.exec(line);
    if (hunk) {
      if (files === 0) return undefined;
      if (!isGenerated) close();
      old = Number(hunk[1] ?? 1);
      fresh = Number(hunk[2] ?? 1);
      if (!isGenerated) kept.push(cutMiddle(line, LINE_CHARACTERS));
    } else if (HEADER.test(line)) {
      close();
      if (line.startsWith('diff ') || line.startsWith('--- ') || line.startsWith('Index: ')) {
        files++;
        isGenerated = GENERATED.test(line.replace(/\t.*$/, ''));
      } else if (line.startsWith('+++ ')) {
        isGenerated ||= GENERATED.test(line.replace(/\t.*$/, ''));
      }
      kept.push(cutMiddle(line, LINE_CHARACTERS));
    } else if (COMMIT.test(line)) {
      close();
      kept.push(line);
    } else if (mark !== '\\') {
      return undefined;
    }
  }
  close();
  return files > 0 && old === 0 && fresh === 0 ? kept.join('\n') : undefined;
}
