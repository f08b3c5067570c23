import type { ContextOtherValue, FoundPassage } from '@infold/protocol';
import { askMemory } from '../../memory/actions/ask.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { oneLine } from './one-line.ts';

/** What memory says, in its own words: a passage, and below it where it stands. */
export function memoryAsk(
  run: Run,
  q: string,
  { project, domain, limit }: ProjectFlag & { domain?: string; limit: string },
): Promise<number> {
  return act(
    run,
    askMemory,
    { q, project, domain, limit },
    {
      show: ({ passages, notices = [] }) => {
        if (passages.length === 0) return ['Nothing is known about that.', ...notices].join('\n');
        return [...passages.map(shown), ...notices].join('\n\n');
      },
    },
  );
}

function shown(passage: FoundPassage, index: number): string {
  const { text, title, kind, author, at, project, project_id, id, source, url } = passage;
  const facts = [kind, author, at.slice(0, 16).replace('T', ' '), project ?? project_id, id];
  const from = [source, url].filter((each) => each !== null).join(' ');
  const number = `${index + 1}. `;
  const indent = ' '.repeat(number.length);
  const lines = [
    text.replaceAll('\n', `\n${indent}`),
    `— ${[...(title === null ? [] : [oneLine(title)]), ...facts.filter((fact) => fact !== null)].join(' · ')}`,
    ...(from === '' ? [] : [`  from ${from}`]),
    ...(passage.contradicted_by.length === 0
      ? []
      : [`  contradicted by ${passage.contradicted_by.join(', ')}`]),
    ...repeated(passage),
    ...(passage.other_values ?? []).map((other) => `  ${otherwise(other)}`),
  ];
  return number + lines.join(`\n${indent}`);
}

function repeated({ at, also = [] }: FoundPassage): string[] {
  if (also.length === 0) return [];
  const last = [at, ...also.map((other) => other.at)].sort().at(-1)!.slice(0, 10);
  return [`  said ${also.length + 1} times, last on ${last}: also ${also.map(({ id }) => id).join(', ')}`];
}

function otherwise({ id, at, says, change }: ContextOtherValue): string {
  const how = change === undefined ? 'otherwise in' : change === 'replaces' ? 'replaces' : 'replaced by';
  return `${how} ${id} of ${at.slice(0, 10)}: ${oneLine(says)}`;
}
