import { relateInput } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Reader } from '../memory/queries.ts';
import { addRelation, relatedTo, searchItems, showItem } from '../memory/search.ts';
import { localOwner } from '../trust/caller.ts';
import { resolveProject } from '../trust/projects.ts';
import { type Output, table } from './output.ts';
import { openExistingJournal } from './services.ts';

const SHOWN = 100;

/** Opens the data folder for one command. */
export async function withMemory<Answer>(
  config: Config,
  work: (journal: Journal) => Answer | Promise<Answer>,
  open = openExistingJournal,
): Promise<Answer> {
  const journal = await open(config);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

export function ownerReader(journal: Journal, project: string | undefined): Reader {
  const projectId = project === undefined ? null : resolveProject(journal.database, localOwner, project).id;
  return { caller: localOwner, projectId, agentId: null };
}

export function parseCount(text: string, flag: string): number {
  const number = Number(text);
  if (Number.isInteger(number)) return number;
  throw new InfoldError('invalid_arguments', `${flag} must be a whole number, not "${text}"`);
}

export function memorySearch(
  config: Config,
  output: Output,
  query: string,
  flags: { project?: string; domain?: string; limit: string },
): Promise<void> {
  if (query.trim() === '') throw new InfoldError('invalid_arguments', 'Say what to search for');
  const limit = Math.min(200, Math.max(1, parseCount(flags.limit, '--limit')));
  return withMemory(config, async (journal) => {
    const items = await searchItems(journal.database, {
      query,
      domain: flags.domain ?? null,
      limit,
      now: Date.now(),
      reader: ownerReader(journal, flags.project),
    });
    output.answer({ items }, () => {
      if (items.length === 0) return 'Nothing fits.';
      const rows = items.map((item) => [
        item.score.toFixed(2),
        item.kind,
        item.id,
        oneLine(item.name),
        oneLine(item.reason),
      ]);
      return table(rows, ['SCORE', 'KIND', 'ID', 'NAME', 'WHY']);
    });
  });
}

export function memoryShow(
  config: Config,
  output: Output,
  id: string,
  flags: { project?: string },
): Promise<void> {
  return withMemory(config, (journal) => {
    const item = showItem(journal.database, ownerReader(journal, flags.project), id);
    output.answer(item, () => {
      const { content, related, ...facts } = item;
      const lines = Object.entries(facts)
        .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
        .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
      const relations = related.map(
        ({ relationship, direction, id: other, name }) =>
          `${direction === 'outgoing' ? '→' : '←'} ${relationship} ${other} (${oneLine(name)})`,
      );
      return [...lines, ...relations, '', content].join('\n');
    });
  });
}

export function memoryRelated(
  config: Config,
  output: Output,
  id: string,
  flags: { project?: string },
): Promise<void> {
  return withMemory(config, (journal) => {
    const related = relatedTo(journal.database, ownerReader(journal, flags.project), id);
    output.answer({ related }, () => {
      if (related.length === 0) return 'It is related to nothing.';
      const rows = related.map(({ direction, relationship, type, id: other, name }) => [
        direction === 'outgoing' ? '→' : '←',
        relationship,
        type,
        other,
        oneLine(name),
      ]);
      return table(rows, ['', 'RELATION', 'KIND', 'ID', 'NAME']);
    });
  });
}

export function memoryRelate(
  config: Config,
  output: Output,
  id: string,
  type: string,
  other: string,
  flags: { project?: string },
): Promise<void> {
  const relation = relateInput.safeParse({ type, id: other });
  if (!relation.success) {
    throw new InfoldError('invalid_arguments', `${type}: ${relation.error.issues[0]!.message}`);
  }
  return withMemory(config, async (journal) => {
    const reader = ownerReader(journal, flags.project);
    const answer = await addRelation(journal, localOwner, reader, id, relation.data);
    output.answer(answer, () =>
      answer.related ? `${id} ${type} ${other}` : `${id} ${type} ${other} was known before.`,
    );
  });
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
}
