import type { AuditCriterion, AuditFinding, AuditKind } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import type { GiveWay } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { briefsOf } from '../brief.ts';
import { BINDING } from '../commands.ts';
import { ACTIVE } from '../pack/facets.ts';
import { type ItemRow, itemsByRow, type Partition } from '../queries.ts';
import { findDoubles } from './doubles.ts';
import { countStanding, namesakes, neverUsed, relationsBetween, tasksSince, validBefore } from './queries.ts';

const DAY = 86_400_000;
/** Being left aside by fewer sessions than this says little. */
const SESSIONS = 5;
/** Relations by which an item rests on another. */
const BASIS = ['requires', 'supports', 'decides'];

export const KIND_OF: Readonly<Record<AuditCriterion, AuditKind>> = {
  contradiction: 'contradicted',
  same_name: 'contradicted',
  exact_double: 'doubled',
  same_words: 'doubled',
  replaced_basis: 'stale',
  past_validity: 'stale',
  idle_task: 'stale',
  never_used: 'stale',
};

export interface AuditRequest {
  caller: Caller;
  partitions: readonly Partition[];
  kind: AuditKind | undefined;
  /** After how many something counts as old. */
  days: number;
  limit: number;
  now: number;
  giveWay?: GiveWay;
}

/** A finding before its items are read. */
interface Found {
  criterion: AuditCriterion;
  rows: number[];
  why: (items: readonly ItemRow[]) => string;
}

/** What memory holds that somebody should look at. Each finding says by which criterion it is one; nothing is changed. */
export async function auditMemory(database: Database, request: AuditRequest) {
  const { caller, partitions, kind, limit, giveWay } = request;
  const found: Found[] = [];
  if (kind === undefined || kind === 'contradicted') found.push(...contradicted(database, partitions));
  if (kind === undefined || kind === 'doubled') {
    const { exact, words } = await findDoubles(database, partitions, giveWay);
    found.push(
      ...exact.map((rows) => ({
        criterion: 'exact_double' as const,
        rows: rows.toReversed(),
        why: () => `${rows.length} items say the same, word for word, in one place`,
      })),
      ...words.map((rows) => ({
        criterion: 'same_words' as const,
        rows: rows.toReversed(),
        why: () => `${rows.length} items have the same words, apart from case, punctuation or spacing`,
      })),
    );
  }
  if (kind === undefined || kind === 'stale') found.push(...stale(database, request));
  const counts: Partial<Record<AuditCriterion, number>> = {};
  const findings: AuditFinding[] = [];
  for (const { criterion, rows, why } of found) {
    counts[criterion] = (counts[criterion] ?? 0) + 1;
    if (counts[criterion] > limit) continue;
    const items = itemsByRow(database, rows);
    findings.push({
      ...{ kind: KIND_OF[criterion], criterion, why: why(items) },
      items: briefsOf(database, caller, items, partitions),
    });
  }
  return { checked: countStanding(database, partitions), counts, findings };
}

function contradicted(database: Database, partitions: readonly Partition[]): Found[] {
  const contradictions = relationsBetween(database, partitions, ['contradicts'], false);
  const settled = new Set(contradictions.map(({ source, target }) => pairOf(source, target)));
  const named = namesakes(database, partitions, [...BINDING])
    // Two that contradict each other are told of already.
    .filter(({ rows }) => rows.length > 2 || !settled.has(pairOf(rows[0]!, rows[1]!)));
  return [
    ...contradictions.map(({ source, target }) => ({
      criterion: 'contradiction' as const,
      rows: [source, target],
      why: () => 'the first says that it contradicts the second, and both stand',
    })),
    ...named.map(({ rows }) => ({
      criterion: 'same_name' as const,
      rows,
      why: ([first]: readonly ItemRow[]) =>
        `${rows.length} items of the kind ${first!.kind} have this name; only one of them can hold`,
    })),
  ];
}

const pairOf = (one: number, other: number) => `${Math.min(one, other)} ${Math.max(one, other)}`;

function stale(database: Database, { partitions, days, now }: AuditRequest): Found[] {
  const before = now - days * DAY;
  const since = (at: number) => `${Math.floor((now - at) / DAY)} days ago`;
  const one = (criterion: AuditCriterion, row: number, why: (item: ItemRow) => string): Found => ({
    criterion,
    rows: [row],
    why: ([item]) => why(item!),
  });
  return [
    ...relationsBetween(database, partitions, BASIS, true).map(({ source, type, target }) => ({
      criterion: 'replaced_basis' as const,
      rows: [source, target],
      why: () => `the first ${type} the second, which was superseded since`,
    })),
    ...validBefore(database, partitions, before).map((row) =>
      one(
        'past_validity',
        row,
        ({ valid_at }) =>
          `it was valid at ${isoTime(valid_at!).slice(0, 10)}, ${since(valid_at!)}; nothing says that it still is`,
      ),
    ),
    ...tasksSince(database, partitions, ACTIVE, before).map((row) =>
      one(
        'idle_task',
        row,
        ({ status, updated_at }) =>
          `this task is still “${status}”, and was written down ${since(updated_at)}; packs show it first`,
      ),
    ),
    ...neverUsed(database, partitions, SESSIONS).map(({ row, sessions }) =>
      one('never_used', row, () => `packs showed it to ${sessions} sessions, and none of them used it`),
    ),
  ];
}
