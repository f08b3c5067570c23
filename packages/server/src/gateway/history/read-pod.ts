import type { GatewayFilter } from '@infold/protocol';
import type { Gateway } from '../gateway.ts';
import { TELLER } from '../mirror/branch-messages.ts';
import { compileFilter, EVERYTHING } from '../pod/filter.ts';
import type { HistoryQuery, StoredEnvelope } from '../queries.ts';

export interface PodReadQuery extends Omit<HistoryQuery, 'limit' | 'since' | 'bytes'> {
  since: number;
  filter?: GatewayFilter | undefined;
  limit: number;
}

/** Who reads where. */
export interface PodReader {
  org: string;
  pod: string;
  participant: string;
  /** Whose branches are the reader's own. */
  principal: string;
  /** Whether a branch is the reader's, of which it may be told without a name. */
  owns(branchId: string): boolean;
}

export interface ReadPage {
  messages: StoredEnvelope[];
  next: number;
  more: boolean;
}

const PAGE = 500;
/** A filter that nothing passes must not read a whole history in one call. */
const MOST_LOOKED_AT = 20_000;

/** What was said after a position and passes the filter, for who reads now and then instead of listening. */
export async function readPod(
  gateway: Gateway,
  { org, pod, participant, principal, owns }: PodReader,
  { filter = EVERYTHING, limit, ...query }: PodReadQuery,
): Promise<ReadPage> {
  const passes = await filterFor(gateway, org, pod, filter);
  // An agent knows what it did; and each reading is told in its branch, so that waiting would never wait.
  const isOwn = ({ from, kind, context, correlation_id }: StoredEnvelope['envelope']) =>
    !filter.kinds &&
    (from === principal
      ? kind.startsWith('fold/')
      : from === TELLER && owns(correlation_id ?? context?.id ?? ''));
  const messages: StoredEnvelope[] = [];
  let place = query.since;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const page = await gateway.messages(org, pod, { ...query, since: place, limit: PAGE });
    for (const stored of page.messages) {
      const { kind, to, context } = stored.envelope;
      const isFor = filter.directed !== true || !to || to.includes(participant);
      if (
        isFor &&
        !isOwn(stored.envelope) &&
        passes({ kind, to, context: context?.id ?? null, type: stored.type })
      ) {
        if (messages.length === limit) return { messages, next: place, more: true };
        messages.push(stored);
      }
      place = stored.seq;
    }
    if (!page.more) return { messages, next: place, more: false };
    // What was found so far is enough for one answer.
    if (page.messages.length < PAGE && messages.length > 0) return { messages, next: place, more: true };
  }
  return { messages, next: place, more: true };
}

async function filterFor(gateway: Gateway, org: string, pod: string, filter: GatewayFilter) {
  const nested = typeof filter.contexts === 'object' && filter.contexts.descendants === true;
  const parents = new Map(
    nested ? (await gateway.contexts(org, pod)).map(({ id, parent }) => [id, parent]) : [],
  );
  return compileFilter(filter, (id) => {
    const path: string[] = [];
    // Parents never close a circle; the bound is for a history that another program wrote.
    for (let at = parents.get(id); at && path.length < 1000; at = parents.get(at)) path.push(at);
    return path;
  });
}
