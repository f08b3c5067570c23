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
      show: ({ items }) => {
        if (items.length === 0) return 'Nothing fits.';
        const rows = items.map(({ score, kind, id, name, reason }) => [
          score.toFixed(2),
          kind,
          id,
          oneLine(name),
          oneLine(reason),
        ]);
        return table(rows, ['SCORE', 'KIND', 'ID', 'NAME', 'WHY']);
      },
    },
  );
}
