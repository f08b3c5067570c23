import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type Caller, isLocalOwner } from '../../trust/identity/caller.ts';
import { conversationsNamed, pageOfConversations, type WindowConversation } from '../queries.ts';

/** Whose conversations somebody sees: their own; who owns the data folder, everybody's. */
export function ownerOf(caller: Caller): { org: string; principal: string } | null {
  return isLocalOwner(caller) ? null : caller;
}

/** By what somebody calls it. Another's is answered as if it were not there. */
export function conversationOf({ database, caller }: CallContext, name: string): WindowConversation {
  const owner = ownerOf(caller);
  const found =
    name === 'last'
      ? pageOfConversations(database, owner, { limit: 1 })
      : conversationsNamed(database, owner, name);
  const [first] = found;
  if (!first) throw new InfoldError('not_found', `Conversation not found: ${name}`);
  const isSure = first.id === name || first.host_session === name || found.length === 1;
  if (isSure) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw new InfoldError('invalid_arguments', `"${name}" could be any of ${ids}; give more of the id`);
}
