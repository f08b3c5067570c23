import { listRelated, readItem } from '../../memory/actions/read-item.ts';
import { relate } from '../../memory/actions/relate.ts';
import { searchMemory } from '../../memory/actions/search.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { table } from '../output.ts';

const SHOWN = 100;

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

export function memoryShow(run: Run, id: string, { project }: ProjectFlag): Promise<number> {
  return act(
    run,
    readItem,
    { id, project },
    {
      show: ({ content, related, ...facts }) => {
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

export function memoryRelated(run: Run, id: string, { project }: ProjectFlag): Promise<number> {
  return act(
    run,
    listRelated,
    { id, project },
    {
      show: ({ related }) => {
        if (related.length === 0) return 'It is related to nothing.';
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
    { show: ({ related }) => `${item} ${type} ${id}${related ? '' : ' was known before.'}` },
  );
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
}
