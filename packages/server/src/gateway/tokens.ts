import { CLOSE_CODES } from '@infold/protocol';
import type { Database } from '../kernel/sqlite.ts';
import { tokenById } from '../trust/identity/queries.ts';
import type { Pod } from './pod.ts';

/** A connection outlives the check at its beginning: who came with a token that has ended since is let go. */
export function closeEnded(pods: Iterable<Pod>, database: Database, now: number): void {
  const ended = new Map<string, boolean>();
  for (const pod of pods) {
    for (const member of [...pod.members.values()]) {
      const id = member.caller.tokenId;
      if (id === null) continue;
      if (!ended.has(id)) {
        const token = tokenById(database, id);
        ended.set(id, !token || token.revoked_at !== null || (token.expires_at ?? now + 1) <= now);
      }
      if (ended.get(id)) pod.leave(member, CLOSE_CODES.tokenRevoked, 'the token was revoked or has expired');
    }
  }
}
