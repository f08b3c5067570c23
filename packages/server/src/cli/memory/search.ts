import { searchMemory } from '../../memory/actions/search.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import { oneLine } from './one-line.ts';

export function memorySearch(
  run: Run,
  q: string,
  { project, domain, limit }: ProjectFlag & { domain?: string; limit: string },
): Promise<number> {
  return act(
    run,
    searchMemory,
    { q, project, domain, limit },
    {
      show: ({ items, notices = [] }) => {
        if (items.length === 0) return ['Nothing fits.', ...notices].join('\n');
        // One project needs no column.
        const isMixed = new Set(items.map((item) => item.project_id)).size > 1;
        const rows = items.map(({ score, kind, id, name, reason, project: of }) => [
          ...[score.toFixed(2), kind, id],
          ...(isMixed ? [of ?? ''] : []),
          ...[oneLine(name), oneLine(reason)],
        ]);
        const heads = ['SCORE', 'KIND', 'ID', ...(isMixed ? ['PROJECT'] : []), 'NAME', 'WHY'];
        return [table(rows, heads), ...notices].join('\n\n');
      },
    },
  );
}
