import { type EnvelopeInput, filterPayload, replayPayload } from '@infold/protocol';
import { replay } from './catch-up.ts';
import { Refusal } from './errors.ts';
import type { Member } from './member.ts';
import type { Pod } from './pod.ts';

const MOST_REPLAYS = 8;

/** What a participant tells the gateway itself; nobody else sees it. */
export function control(pod: Pod, member: Member, { id, kind, payload }: EnvelopeInput): void {
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
      if (member.waiting >= MOST_REPLAYS) {
        throw new Refusal('rate_limit', `${MOST_REPLAYS} replays are waiting already`, id, {
          retry_after: 1,
        });
      }
      member.waiting++;
      member.work = member.work
        .then(() => replay(pod, member, parsed.data, id))
        .catch((error) => {
          pod.services.failed(error);
          pod.leave(member, 1011, 'history cannot be read');
        })
        .finally(() => member.waiting--);
      return;
    }
    default:
      throw new Refusal(
        'bad_envelope',
        `The gateway knows gateway/filter and gateway/replay, not "${kind}"`,
        id,
      );
  }
}

function badPayload(kind: string, issue: { path: PropertyKey[]; message: string }, id: string): Refusal {
  return new Refusal(
    'bad_envelope',
    `${kind}: ${['payload', ...issue.path].join('.')}: ${issue.message}`,
    id,
  );
}
