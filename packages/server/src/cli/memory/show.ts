import { readItem } from '../../memory/actions/read-item.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { oneLine } from './one-line.ts';

export function memoryShow(run: Run, id: string, { project }: ProjectFlag): Promise<number> {
  return act(
    run,
    readItem,
    { id, project },
    {
      show: ({ content, related, passages: _passages, ...facts }) => {
        const lines = Object.entries(facts)
          .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
          .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
        const relations = related.map(
          ({ relationship, direction, id: other, name }) =>
            `${direction === 'outgoing' ? '→' : '←'} ${relationship} ${other} (${oneLine(name)})`,
        );
        return [...lines, ...relations, '', content].join('\n');
      },
    },
  );
}
