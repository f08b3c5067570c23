import { shortenAtBirth } from '@infold/client/window';
import { randomId } from '../../kernel/ids.ts';
import { cutText } from '../../kernel/pages.ts';
import { expandedWithAt } from '../../trust/clients/last-seen.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { conversationsOfHostSession } from '../../window/queries.ts';
import type { HookCall, ToolEvent } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';

/** Longer outputs go to the archive, and the journal keeps their beginnings. */
const LARGE = 8_000;
const KEPT = 2_000;

/** Hosts whose plugin shortens results itself, by the same rules. */
const SHORTENS_ITSELF = new Set<string>(['opencode', 'pi']);

/** A session whose requests passed the window door so lately is taken to be served there: tools may run for long. */
const SERVED_FOR = 60 * 60 * 1000;

/** A host whose client was seen with our tools so lately still has them. Its connection may be as old as its session. */
const CONNECTED_FOR = 24 * 60 * 60 * 1000;
/** Hosts start our server somewhat before they tell of their session. */
const EARLIER = 5 * 60 * 1000;

export interface Archived {
  /** What stands in the result's place. */
  shown?: string;
  /** What the journal keeps. */
  kept?: string;
}

/**
 * Keeps a large output for `context_expand`, and says what the model should see instead where the host takes that: never of a
 * file, since that may be edited next, not where the window door does the same with what passes there, and only where the model
 * has `context_expand` to get it back.
 */
export async function archiveOutput(call: HookCall<ToolEvent>, hook: HookContext): Promise<Archived> {
  const { tool, input, output } = call.event;
  if (output === undefined) return {};
  const handle = randomId('win');
  const isWanted = hook.services.config.hooks.shorten && !SHORTENS_ITSELF.has(call.host);
  const isShortened = isWanted && call.event.isReplaceable && !call.isLate;
  const shown = isShortened ? shortenAtBirth({ tool, input, text: output }, handle) : undefined;
  if (shown === undefined && output.length <= LARGE) return {};
  const session = hook.findSession()!;
  await keep(hook, session, call, handle);
  const beginning = `${cutText(output, KEPT)}\n[infold archived: context_expand {"handle":"${handle}"} shows it]`;
  if (shown === undefined || !canExpand(hook, session, call) || !mayReplace(hook, call, output))
    return { kept: beginning };
  return shown.length > LARGE ? { shown, kept: beginning } : { shown };
}

function canExpand(
  { services, caller }: HookContext,
  { started_at }: Session,
  { host, at }: HookCall,
): boolean {
  const seenAt = expandedWithAt(services.journal.database, caller, host);
  return seenAt !== undefined && seenAt >= Math.min(at - CONNECTED_FOR, started_at - EARLIER);
}

/** What the archive holds has no secrets: where it would not be the original any more, the original stays in the window. */
function mayReplace({ services, caller }: HookContext, call: HookCall, output: string): boolean {
  const { journal, scrubber } = services;
  const names = [call.session, ...(call.agent === undefined ? [] : [`${call.session}_${call.agent}`])];
  const isServed = names
    .flatMap((name) => conversationsOfHostSession(journal.database, caller, name))
    .some(({ last_at }) => last_at > call.at - SERVED_FOR);
  return !isServed && scrubber.scrub(output).count === 0;
}

async function keep(
  { services, caller }: HookContext,
  { id }: Session,
  call: HookCall<ToolEvent>,
  handle: string,
) {
  const { windowArchive } = services.parts;
  await windowArchive.open();
  windowArchive.keep(caller, [{ handle, text: call.event.output!, conversation: id, session: call.session }]);
}
