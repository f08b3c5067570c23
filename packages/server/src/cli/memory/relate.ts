import { relate } from '../../memory/actions/relate.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';

export function memoryRelate(
  run: Run,
  item: string,
  type: string,
  id: string,
  { project }: ProjectFlag,
): Promise<number> {
  return act(
    run,
    relate,
    { item, type, id, project },
    { show: ({ related }) => `${item} ${type} ${id}${related ? '' : ' was already recorded.'}` },
  );
}
