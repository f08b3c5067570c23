import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { expireSession } from './commands.ts';
import { type Session, sessionById, sessionsUntil } from './queries.ts';

const INTERVAL = 60_000;
const BATCH = 200;

/** Ends the sessions whose lifetime is over; returns how many. */
export async function sweepSessions(journal: Journal, now: () => number, lifetime: number): Promise<number> {
  let ended = 0;
  for (;;) {
    const over = sessionsUntil(journal.database, now() - lifetime, BATCH);
    const results = await Promise.all(over.map((session) => endSession(journal, session, now, lifetime)));
    ended += results.filter(Boolean).length;
    if (over.length < BATCH) return ended;
  }
}

async function endSession(
  journal: Journal,
  session: Session,
  now: Clock,
  lifetime: number,
): Promise<boolean> {
  const { entry } = await journal.commit({
    stream: session.stream,
    actor: { org: session.org, principal: session.principal, agent: 'sweep' },
    group: true,
    // A call may have come in since the sweep began: the session lives on.
    decide: (database) => ({
      events: expireSession(sessionById(database, session.id), { now: now(), lifetime }),
      answer: null,
    }),
  });
  return entry !== undefined;
}

/** Sweeps soon and then every minute. Returns a function that stops it. */
export function startSweeping(
  journal: Journal,
  clock: Clock,
  lifetime: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const sweep = () => {
    running = running.then(() => sweepSessions(journal, clock, lifetime)).catch(onError);
  };
  const timer = setInterval(sweep, INTERVAL);
  timer.unref();
  // Not at once: a host that waits for its first answer should not wait for this.
  const first = setTimeout(sweep, 2000);
  first.unref();
  return async () => {
    clearInterval(timer);
    clearTimeout(first);
    await running;
  };
}
