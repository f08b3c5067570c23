import { type EnvelopeInput, filterPayload, replayPayload, resolvePayload } from '@infold/protocol';
import { Refusal } from '../errors.ts';
import { replay } from './catch-up.ts';
import { shownResolved } from './correlation.ts';
import type { Member } from './member.ts';
import type { LivePod } from './state.ts';

const MOST_WAITING = 8;

/** What a participant tells the gateway itself; nobody else sees it. */
export function control(pod: LivePod, member: Member, { id, kind, payload }: EnvelopeInput): void {
  switch (kind) {
    case 'gateway/filter': {
      const parsed = filterPayload.safeParse(payload);
      if (!parsed.success) throw badPayload(kind, parsed.error.issues[0]!, id);
      member.filter = parsed.data;
      // Who is still catching up is put in its group at the end of that.
      if (member.group !== undefined) pod.receivers.add(member);
      pod.tell(member, 'system/filter', payload as object, id);
      return;
    }
    case 'gateway/replay': {
      const parsed = replayPayload.safeParse(payload ?? {});
      if (!parsed.success) throw badPayload(kind, parsed.error.issues[0]!, id);
      inTurn(pod, member, id, () => replay(pod, member, parsed.data, id));
      return;
    }
    case 'gateway/resolve': {
      const parsed = resolvePayload.safeParse(payload);
      if (!parsed.success) throw badPayload(kind, parsed.error.issues[0]!, id);
      inTurn(pod, member, id, async () => {
        const found = await pod.services.resolve(member.caller, parsed.data.id);
        pod.tell(member, 'system/resolve', { id: parsed.data.id, ...shownResolved(found) }, id);
      });
      return;
    }
    default:
      throw new Refusal(
        'bad_envelope',
        `Unknown kind "${kind}"; the gateway takes gateway/filter, gateway/replay and gateway/resolve`,
        id,
      );
  }
}

/** What has to be looked up is answered one after the other. */
function inTurn(pod: LivePod, member: Member, id: string, work: () => Promise<void>): void {
  if (member.waiting >= MOST_WAITING) {
    throw new Refusal('rate_limit', `${MOST_WAITING} requests are already waiting; try again in 1 s`, id, {
      retry_after: 1,
    });
  }
  member.waiting++;
  member.work = member.work
    .then(work)
    .catch((error) => {
      pod.services.failed(error);
      pod.leave(member, 1011, 'history cannot be read');
    })
    .finally(() => member.waiting--);
}

function badPayload(kind: string, issue: { path: PropertyKey[]; message: string }, id: string): Refusal {
  return new Refusal(
    'bad_envelope',
    `${kind}: ${['payload', ...issue.path].join('.')}: ${issue.message}`,
    id,
  );
}
