import { readHistory } from '../../memory/actions/history.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';
import { oneLine } from './one-line.ts';

export function memoryHistory(run: Run, id: string, { project }: ProjectFlag): Promise<number> {
  return act(
    run,
    readHistory,
    { id, project },
    {
      show: ({ versions }) => {
        const rows = versions.map(({ created_at, kind, id: version, superseded_by, name }) => [
          created_at.slice(0, 10),
          kind,
          version,
          superseded_by ?? 'stands',
          oneLine(name),
        ]);
        return table(rows, ['STORED', 'KIND', 'ID', 'SUPERSEDED BY', 'NAME']);
      },
    },
  );
}
