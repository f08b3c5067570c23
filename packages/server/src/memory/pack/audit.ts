import type { Journal } from '../../journal/journal.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Caller } from '../../trust/caller.ts';
import type { Scrubber } from '../../trust/scrub/index.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { memoryStream } from '../../trust/streams.ts';
import type { MemoryEvent, PackCompiled } from '../events.ts';

export interface AuditServices {
  journal: Journal;
  scrubber: Scrubber;
}

/**
 * PACK-09: what packs were compiled for whom, never with the goal's text. Refusals are put on record where every
 * door's are. Answers what the caller should be told when it could not be written: a pack is not refused for that.
 */
export async function auditPack(
  { journal, scrubber }: AuditServices,
  { caller, session }: { caller: Caller; session?: Session | undefined },
  data: PackCompiled,
): Promise<string | undefined> {
  try {
    // Names that callers choose (a domain, an agent) reach the journal here, without passing the scrubber of writes.
    const { domain, agent_id } = data;
    const names = domain === null && agent_id === null ? {} : scrubber.scrubValue({ domain, agent_id }).value;
    const event: MemoryEvent = { type: 'pack.compiled', data: { ...data, ...names } };
    await journal.commit({
      stream: session?.stream ?? memoryStream(caller.org),
      actor: caller.actor,
      group: true,
      decide: () => ({ events: [event], answer: null }),
    });
    return undefined;
  } catch (error) {
    return `This pack was not audited: ${messageOf(error)}`;
  }
}
