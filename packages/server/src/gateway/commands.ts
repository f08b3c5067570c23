import type { Envelope } from '@infold/protocol';
import type { Decision } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { GatewayEvent } from './events.ts';
import { hasOwner } from './ownership.ts';
import { podByName } from './queries.ts';

/**
 * A message from outside of any connection. Where a server gives out positions it is handed to that one; where none
 * does, it is accepted here, in the same write.
 */
export function sayInPod(
  database: Database,
  now: number,
  message: { org: string; pod: string; envelope: Envelope; tokens: number; secrets: number; epoch: string },
): Decision<{ id: string; seq: number | null }> {
  const { org, pod, envelope, tokens, secrets, epoch } = message;
  const { id } = envelope;
  if (hasOwner(database, now)) {
    const submitted: GatewayEvent = { type: 'envelope.submitted', data: { org, pod, envelope } };
    return { events: [submitted], answer: { id, seq: null } };
  }
  const row = podByName(database, org, pod);
  if (row && isIdTaken(database, row.id, id)) {
    throw new InfoldError('conflict', `A message with the id ${id} was sent already`);
  }
  const seq = (row?.seq ?? 0) + 1;
  const type = envelope.context?.type ?? null;
  const data = { org, pod, seq, epoch, at: now, tokens, type, envelope, secrets };
  return { events: [{ type: 'envelope.accepted', data }], answer: { id, seq } };
}

function isIdTaken(database: Database, pod: number, id: string): boolean {
  return (
    database.get(
      `SELECT 1 FROM (SELECT id FROM gateway_envelope WHERE pod = ? ORDER BY seq DESC LIMIT 10000) WHERE id = ?`,
      pod,
      id,
    ) !== undefined
  );
}
