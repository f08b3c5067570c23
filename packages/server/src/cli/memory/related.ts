import { listRelated } from '../../memory/actions/read-item.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import { oneLine } from './one-line.ts';

export function memoryRelated(run: Run, id: string, { project }: ProjectFlag): Promise<number> {
  return act(
    run,
    listRelated,
    { id, project },
    {
      show: ({ related }) => {
        if (related.length === 0) return 'It has no relations.';
        const rows = related.map(({ direction, relationship, type, id: other, name }) => [
          direction === 'outgoing' ? '→' : '←',
          relationship,
          type,
          other,
          oneLine(name),
        ]);
        return table(rows, ['', 'RELATION', 'KIND', 'ID', 'NAME']);
      },
    },
  );
}
