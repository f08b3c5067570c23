import type { UploadedBatch } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { ChainPosition, HubEvent, HubReceived, ReceivedEntry } from '../events.ts';
import type { EdgeRow } from '../queries/hub.ts';

/** What a hub knows when a batch comes in. */
export interface ReceivingState {
  edge: EdgeRow | undefined;
  /** Hashes of those entries of the batch that are here already. */
  known: ReadonlyMap<string, string>;
  /** Workspaces of the projects that are open to who sends it. */
  workspaces: ReadonlyMap<string, string>;
  /** No work of this principal can be older. */
  notBefore: number;
}

export interface BatchSender {
  org: string;
  principal: string;
}

export interface BatchOutcome {
  accepted: number;
  duplicates: number;
  position: ChainPosition;
  /** The edge's history is not what it was: nothing was taken in. */
  refusal?: InfoldError;
}

/** Clocks differ by a little; what is less than this is not corrected. */
const TOLERANCE = 60_000;

/** Takes in a batch of an edge's journal: as a whole, where it goes on from what is here, or not at all. */
export function receiveBatch(
  { edge, known, workspaces, notBefore }: ReceivingState,
  batch: UploadedBatch,
  { org, principal }: BatchSender,
  now: number,
): Decision<BatchOutcome> & { events: HubEvent[] } {
  const { after, upto } = batch;
  if (edge && edge.principal !== principal) {
    throw new InfoldError(
      'forbidden',
      `The edge ${batch.edge} belongs to somebody else; run "infold hub join" again`,
    );
  }
  checkOrder(batch);
  const position = edge && { seq: edge.seq, hash: edge.hash };
  const refuse = (reason: 'position' | 'entry', has: ChainPosition, told: ChainPosition) => {
    // Once, or twice with a worse reason, until something was taken in: who tries again and again does not fill the journal.
    const isKnown =
      edge !== undefined &&
      (edge.refused_at ?? -1) >= edge.last_at &&
      (edge.refused_reason === 'entry' || reason === 'position');
    const data = { edge_id: batch.edge, org, principal, reason, known: has, told };
    const refusal = historyChanged(reason, told.seq);
    const answer: BatchOutcome = { accepted: 0, duplicates: 0, position: position ?? after, refusal };
    return { events: isKnown || !edge ? [] : [{ type: 'hub.refused' as const, data }], answer };
  };
  if (position && after.seq !== position.seq) throw elsewhere(position);
  if (position && after.hash !== position.hash) return refuse('position', position, after);
  const denied = batch.entries.find(({ project }) => !workspaces.has(project));
  if (denied) throw new InfoldError('project_denied', `Project access denied: ${denied.project}`);
  const rewritten = batch.entries.find(({ id, hash }) => (known.get(id) ?? hash) !== hash);
  if (rewritten) {
    const { id, seq, hash } = rewritten;
    return refuse('entry', { seq, hash: known.get(id)! }, { seq, hash });
  }
  const fresh = batch.entries.filter(({ id }) => !known.has(id));
  const answer = { accepted: fresh.length, duplicates: batch.entries.length - fresh.length, position: upto };
  if (edge && upto.seq === edge.seq) return { events: [], answer };
  const difference = now - batch.now;
  const skew = Math.abs(difference) <= TOLERANCE ? 0 : difference;
  const entries = fresh.map(
    ({ project, session, at, ...entry }): ReceivedEntry => ({
      ...entry,
      at: Math.min(now, Math.max(notBefore, at + skew)),
      project_id: project,
      workspace_id: workspaces.get(project)!,
      session_id: session,
    }),
  );
  const data: HubReceived = { edge_id: batch.edge, org, principal, after, upto, skew, entries };
  return { events: [{ type: 'hub.received', data }], answer };
}

/** In the order of the edge's journal, each once, and all of them between the two positions. */
function checkOrder({ after, upto, entries }: UploadedBatch): void {
  let last: ChainPosition = after;
  const ids = new Set<string>();
  for (const entry of entries) {
    if (entry.seq <= last.seq) throw invalidBatch(`entry ${entry.id} is not after position ${last.seq}`);
    if (ids.has(entry.id)) throw invalidBatch(`entry ${entry.id} is in it twice`);
    ids.add(entry.id);
    last = entry;
  }
  if (upto.seq < last.seq || (upto.seq === last.seq && upto.hash !== last.hash)) {
    throw invalidBatch(`it ends at position ${upto.seq}, before its last entry or beside it`);
  }
}

function invalidBatch(problem: string): InfoldError {
  return new InfoldError('invalid_arguments', `Not a batch of an edge's journal: ${problem}`);
}

/** Some of it is missing, or here already: the edge goes on from the position that it is told. */
function elsewhere(position: ChainPosition): InfoldError {
  return new InfoldError(
    'position_mismatch',
    `The hub has this edge's journal up to position ${position.seq}; go on from there`,
    { retryable: true, details: { position } },
  );
}

function historyChanged(reason: 'position' | 'entry', seq: number): InfoldError {
  const what = reason === 'position' ? `at position ${seq}` : `with the entry at position ${seq}`;
  return new InfoldError(
    'history_changed',
    `The edge's journal is not what the hub was sent before, ${what}; "infold hub join" begins a new line`,
    { details: { seq } },
  );
}
