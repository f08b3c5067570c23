import { unrelate } from '../../memory/actions/unrelate.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';

export interface UnrelateFlags extends ProjectFlag {
  withdraw?: boolean;
}

export function memoryUnrelate(
  run: Run,
  item: string,
  type: string,
  id: string | undefined,
  { project, withdraw }: UnrelateFlags,
): Promise<number> {
  return act(
    run,
    unrelate,
    { item, type, id, project, withdraw },
    {
      show: ({ unrelated, withdrawn }) =>
        [
          ...unrelated.map((other) => `${item} ${type} ${other} was taken back.`),
          ...(withdrawn ? [`${item} was superseded by what stands again.`] : []),
        ].join('\n'),
    },
  );
}
