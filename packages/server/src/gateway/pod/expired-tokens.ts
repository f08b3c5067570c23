import { CLOSE_CODES } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { tokenById } from '../../trust/identity/queries.ts';
import type { Member } from './member.ts';
import type { LivePod } from './state.ts';

type PodWithMembers = Pick<LivePod, 'members' | 'leave'>;

/** A connection outlives the check at its beginning. */
export function isExpired({ caller }: Member, now: number): boolean {
  return caller.expiresAt !== null && caller.expiresAt <= now;
}

export function letGo(pod: PodWithMembers, member: Member): void {
  pod.leave(member, CLOSE_CODES.tokenRevoked, 'the token was revoked or has expired');
}

/** Who came with a token that has ended since is let go. */
export function closeExpired(pods: Iterable<PodWithMembers>, now: number): void {
  for (const pod of pods) {
    for (const member of [...pod.members.values()]) if (isExpired(member, now)) letGo(pod, member);
  }
}

export function closeRevoked(pods: Iterable<PodWithMembers>, database: Database): void {
  const revoked = new Map<string, boolean>();
  for (const pod of pods) {
    for (const member of [...pod.members.values()]) {
      const id = member.caller.tokenId;
      if (id === null) continue;
      if (!revoked.has(id)) revoked.set(id, tokenById(database, id)?.revoked_at !== null);
      if (revoked.get(id)) letGo(pod, member);
    }
  }
}
