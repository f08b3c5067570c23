import type { Journal } from '../../journal/journal.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { evidenceStream } from '../../trust/streams.ts';
import { keptFrom } from '../queries/evidence.ts';

const DAY = 86_400_000;
const INTERVAL = 3_600_000;

/** The first day that is kept. */
export function firstKept(now: number, retentionDays: number): string {
  return isoTime(now - retentionDays * DAY).slice(0, 10);
}

/**
 * Takes evidence that is older than it is kept for out of the tables. It is an entry of the journal, so that a rebuild gives the
 * same tables whatever the configuration says by then.
 */
export async function expireEvidence(
  journal: Journal,
  clock: Clock,
  retentionDays: number | undefined,
): Promise<boolean> {
  if (retentionDays === undefined) return false;
  const { entry } = await journal.commit({
    stream: evidenceStream(),
    actor: { ...localOwner.actor, agent: 'retention' },
    decide: (database) => {
      const before = firstKept(clock(), retentionDays);
      const isKnown = before <= (keptFrom(database) ?? '');
      return {
        events: isKnown ? [] : [{ type: 'library.evidence_expired', data: { before } }],
        answer: null,
      };
    },
  });
  return entry !== undefined;
}

/** Looks soon, and then every hour. Returns a function that stops it. */
export function startExpiring(
  journal: Journal,
  clock: Clock,
  retentionDays: number | undefined,
  onError: (error: unknown) => void,
): () => Promise<void> {
  if (retentionDays === undefined) return async () => {};
  let running: Promise<unknown> = Promise.resolve();
  const look = () => {
    running = running.then(() => expireEvidence(journal, clock, retentionDays)).catch(onError);
  };
  const timer = setInterval(look, INTERVAL);
  timer.unref();
  const first = setTimeout(look, 3000);
  first.unref();
  return async () => {
    clearInterval(timer);
    clearTimeout(first);
    await running;
  };
}
