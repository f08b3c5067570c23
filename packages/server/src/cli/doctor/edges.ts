import type { ScrubOptions } from '@infold/scrub';
import { createScrubber } from '@infold/scrub';
import type { Journal } from '../../journal/journal.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { messageOf } from '../../kernel/errors.ts';
import { Edge } from '../../library/edge/edge.ts';
import { allEdges } from '../../library/queries/hub.ts';
import type { Check } from './check.ts';

/** How old the copy of the hub's library is, and whether what waits goes there; at a hub, whose history has changed. */
export async function checkHub(config: Config, journal: Journal): Promise<Check[]> {
  const edges = allEdges(journal.database);
  const changed = edges.filter(({ refused_reason }) => refused_reason !== null);
  const asHub: Check[] =
    edges.length === 0
      ? []
      : [
          {
            name: 'edges',
            state: changed.length > 0 ? 'warning' : 'ok',
            detail: `${edges.length} send to this hub`,
            ...(changed.length > 0 && {
              advice: `The history of ${changed.map(({ id, principal }) => `${id} (${principal})`).join(', ')} has changed; ask them`,
            }),
          },
        ];
  return [...(await asEdge(config, journal)), ...asHub];
}

async function asEdge(config: Config, journal: Journal): Promise<Check[]> {
  const name = 'hub';
  try {
    const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
    const status = await new Edge({ journal, config, scrubber, clock: systemClock }).status();
    if (!status) return [];
    const { url, state, problem, synced_at, upload, drafts_waiting } = status;
    const detail = `${url}: ${state}, copied ${synced_at ?? 'never'}; ${upload.waiting} entries and ${drafts_waiting} drafts wait`;
    if (state === 'current' && problem === null) return [{ name, state: 'ok', detail }];
    const advice = problem ?? 'Start a server or a host, or run "infold library sync"';
    return [{ name, state: 'warning', detail, advice }];
  } catch (error) {
    return [{ name, state: 'problem', detail: messageOf(error) }];
  }
}
