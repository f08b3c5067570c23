import type { Limits } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';

/** What a round of an edge works with. */
export interface EdgeWork {
  journal: Journal;
  clock: Clock;
  scrubber: Scrubber;
  limits: Limits;
  edgeId: string;
}
