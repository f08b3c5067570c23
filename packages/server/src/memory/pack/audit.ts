import type { CallContext } from '../../call/context.ts';
import { messageOf } from '../../kernel/errors.ts';
import { memoryStream } from '../../trust/streams.ts';
import type { MemoryEvent, PackCompiled } from '../events.ts';

/**
 * PACK-09: what packs were compiled for whom, never with the goal's text. Refusals are put on record where every
 * door's are. The caller is told when it could not be written: a pack is not refused for that.
 */
export async function auditPack(
  { journal, scrubber, caller, session, notices }: CallContext,
  data: PackCompiled,
): Promise<void> {
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
  } catch (error) {
    notices.push(`This pack was not audited: ${messageOf(error)}`);
  }
}
