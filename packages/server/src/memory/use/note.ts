import type { CallContext } from '../../call/context.ts';
import { messageOf } from '../../kernel/errors.ts';
import { memoryStream } from '../../trust/streams.ts';
import type { ItemsUsed, MemoryEvent } from '../events.ts';
import { sessionShown, unusedIn } from './queries.ts';

/** Who reads an item outside of a session, by a command or a route, does it for the session that was shown it this recently. */
const RECENT = 86_400_000;

/**
 * Puts on record that items were used which a pack had shown; those that were not shown, or were used since, leave no trace.
 * Nothing fails because of it.
 */
export async function noteUse(
  context: CallContext,
  ids: readonly string[],
  by: ItemsUsed['by'],
): Promise<void> {
  const { journal, caller, config } = context;
  if (!config.memory.rankByUse) return;
  try {
    const used = usesOf(context, ids);
    if (used.size === 0) return;
    await journal.commit({
      stream: memoryStream(caller.org),
      actor: caller.actor,
      group: true,
      decide: (database) => ({
        events: [...used].flatMap(([session_id, named]): MemoryEvent[] => {
          const unused = unusedIn(database, session_id, named);
          return unused.length === 0 ? [] : [{ type: 'memory.used', data: { session_id, ids: unused, by } }];
        }),
        answer: null,
      }),
    });
  } catch (error) {
    context.log('warning', `The use of an item was not recorded: ${messageOf(error)}`);
  }
}

/** Asked without consequences: the call belongs to no other session for it. */
function sessionOf(context: CallContext): string | undefined {
  const found = context.lookUpSession();
  return found.kind === 'found' ? found.session.id : undefined;
}

/** Items by the session that has not used them yet. */
function usesOf(context: CallContext, ids: readonly string[]): Map<string, string[]> {
  const { database, caller } = context;
  const session = context.sessionToMeter?.id ?? sessionOf(context);
  const since = context.clock() - RECENT;
  const uses = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const owner = session ?? (context.hasOwnSession ? undefined : sessionShown(database, caller, id, since));
    if (owner === undefined || unusedIn(database, owner, [id]).length === 0) continue;
    uses.set(owner, [...(uses.get(owner) ?? []), id]);
  }
  return uses;
}
