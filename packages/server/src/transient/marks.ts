import { META, type TransientMark } from '@infold/protocol';
import type { Config } from '../kernel/config.ts';

export interface Fetched {
  model: string;
  /** The number of records that the result holds. */
  count: number;
  /** The ids of the first ones; empty where records have none. */
  ids: readonly unknown[];
  page: number;
  /** Undefined where nobody counted. */
  totalPages?: number | undefined;
}

const SHOWN_IDS = 3;
const ID_CHARACTERS = 48;

/**
 * TCP-02: `15 activity records (page 1/9, IDs: 72, 73, 74…)`. What a reader keeps of a result that is gone; also what
 * a lean fetch answers. The one place where it is made.
 */
export function summaryOf({ model, count, ids, page, totalPages }: Fetched): string {
  const shown = ids
    .slice(0, SHOWN_IDS)
    .map(shortId)
    .filter((id) => id !== '');
  const pages = totalPages === undefined ? `page ${page}` : `page ${page}/${totalPages}`;
  const list = shown.length === 0 ? '' : `, IDs: ${shown.join(', ')}${count > shown.length ? '…' : ''}`;
  return `${count} ${model} ${count === 1 ? 'record' : 'records'} (${pages}${list})`;
}

function shortId(id: unknown): string {
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'boolean') return '';
  const text = String(id)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return text.length <= ID_CHARACTERS ? text : `${text.slice(0, ID_CHARACTERS - 1)}…`;
}

/** From how many records on a tool's result is marked. */
export function thresholdFor(tool: string, config: Config): number {
  return config.transientThresholds[tool] ?? config.transientThreshold;
}

/** TCP-01, TCP-03: the mark of a result, which says nothing about who may use it up. */
export function transientMeta(fetched: Fetched, handle: string): Record<string, unknown> {
  const context: TransientMark = { lifecycle: 'transient', summary: summaryOf(fetched) };
  return { context, [META.handle]: handle };
}
