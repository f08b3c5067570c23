import { type Member, TOO_SLOW } from './member.ts';
import type { LivePod } from './state.ts';

type PodWithMembers = Pick<LivePod, 'members' | 'leave'>;

/** SUB-12: when more waits for readers than there is room for, those for whom most does are let go. They can come back. */
export function closeSlowest(pods: Iterable<PodWithMembers>, most: number): void {
  const slow: { pod: PodWithMembers; member: Member; bytes: number }[] = [];
  let waiting = 0;
  for (const pod of pods) {
    for (const member of pod.members.values()) {
      const bytes = member.wire.buffered;
      if (bytes === 0) continue;
      waiting += bytes;
      slow.push({ pod, member, bytes });
    }
  }
  if (waiting <= most) return;
  slow.sort((one, other) => other.bytes - one.bytes);
  for (const { pod, member, bytes } of slow) {
    if (waiting <= most) return;
    waiting -= bytes;
    pod.leave(member, ...TOO_SLOW);
  }
}
