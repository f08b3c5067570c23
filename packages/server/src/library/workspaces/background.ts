import type { Journal } from '../../journal/journal.ts';
import type { Logger } from '../../kernel/log.ts';
import { organisationWorkspace } from '../../trust/identity/commands.ts';
import { followOrganisation } from './follow.ts';

/** Whoever publishes does this first: the others look a little later, and not all at the same time. */
const FIRST = 300;
const CHANCE = 500;
const AFTER_FAILURE = 10_000;

/**
 * Goes on where a process stopped between a publication in an organisation's library and the workspaces that select from it.
 * Answers how to stop.
 */
export function startFollowingOrganisations(
  journal: Journal,
  log: Pick<Logger, 'warn'>,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const soon = (pause = FIRST + Math.random() * CHANCE) => {
    if (stopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      running = look();
    }, pause);
    timer.unref();
  };
  const look = async () => {
    try {
      await followOrganisation(journal);
    } catch (error) {
      if (stopped) return;
      log.warn({ err: error }, "the organisation's library could not be followed");
      soon(AFTER_FAILURE);
    }
  };
  const unwatch = journal.watch(({ events }) => {
    const isOfOrganisation = events.some(
      ({ type, data }) =>
        type === 'library.published' && data.workspace_id === organisationWorkspace(data.org),
    );
    if (isOfOrganisation) soon();
  });
  soon();
  return async () => {
    stopped = true;
    unwatch();
    clearTimeout(timer);
    await running;
  };
}
