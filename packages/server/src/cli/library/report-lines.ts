import type { importLibrary } from '../../library/actions/folders.ts';
import { EXIT } from '../output.ts';
import type { ActionOutput } from '../services/calls.ts';

const SHOWN = 10;

/** Exit code 3 when some files could not be taken. */
export const partly = ({ skipped }: { skipped: readonly unknown[] }) =>
  skipped.length > 0 ? EXIT.partly : EXIT.done;

export function skippedText(skipped: ActionOutput<typeof importLibrary>['skipped']): string {
  return listed(
    `${skipped.length} were skipped:`,
    skipped.map(({ path, reason }) => `${path}: ${reason}`),
  );
}

/** The first few below a title, and how many more there are; nothing where there are none. */
export function listed(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const more = items.length > SHOWN ? [`and ${items.length - SHOWN} more`] : [];
  return [title, ...[...items.slice(0, SHOWN), ...more].map((item) => `  ${item}`)].join('\n');
}
