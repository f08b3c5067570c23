import { withoutInjected } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import { recall } from '../../memory/recall.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import { hostOf, type Session, toldOf } from '../../trust/sessions/queries.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';
import { lastCompression } from '../transcript.ts';
import { afterCompaction } from './compaction.ts';
import { clip, compose } from './compose.ts';
import { offers, readerIn } from './session-facts.ts';
import { wake } from './session-start.ts';

const PROMPT_TOKENS = 400;
const ITEM_TOKENS = 100;
const MOST_ITEMS = 3;
/** More of a prompt than this is something that was pasted. */
const MOST_CHARACTERS = 4_000;
/** Commands of the host, and what it says itself in a person's place. */
const NOT_SAID = /^\s*(?:\/[\w:-]+(?:\s|$)|<task-notification>)/;

/** What a person said: it is told once what the window lost or never had, and what is known about just this. */
export async function answerPrompt(
  call: HookCall<EventOf<'prompt'>>,
  hook: HookContext,
): Promise<HookAnswer> {
  // What a model gave an agent to do is no person's word, and that agent's window is another one.
  if (call.isLate || call.agent !== undefined) return {};
  const session = await hook.beginSession();
  const texts = [await owed(hook, session), await remembered(call, hook, session)];
  const context = texts.filter((text) => text !== undefined).join('\n');
  return context === '' ? {} : { context };
}

/** What should have been said before, where the host gave no chance for it. */
async function owed(hook: HookContext, session: Session): Promise<string | undefined> {
  const { journal, config } = hook.services;
  const { database } = journal;
  const host = hostOf(database, session.id)!;
  if (host.is_compacted === 1 && !hook.isToldAtStart) return afterCompaction(hook, session);
  if (host.host === 'gemini' && host.transcript !== null && isLocalOwner(hook.caller)) {
    const compression = await lastCompression(host.transcript);
    const sign = compression === undefined ? [] : [`compression:${compression}`];
    if (sign.length > toldOf(database, session.id, sign).size) return afterCompaction(hook, session, sign);
  }
  return host.is_woken === 1 || !config.hooks.wake ? undefined : wake(hook, session);
}

async function remembered(
  { event }: HookCall<EventOf<'prompt'>>,
  hook: HookContext,
  session: Session,
): Promise<string | undefined> {
  const { journal, config, clock, turns } = hook.services;
  const text = withoutInjected(event.text).trim().slice(0, MOST_CHARACTERS);
  if (!config.hooks.prompt || !offers(hook, 'memory') || NOT_SAID.test(event.text) || text === '')
    return undefined;
  const items = await recall(journal.database, {
    text,
    reader: readerIn(hook, session),
    now: clock(),
    // What was written since is this window's own, or was said in it.
    before: session.started_at,
    giveWay: () => turns.giveWay(hook.caller),
  });
  const told = toldOf(
    journal.database,
    session.id,
    items.map(({ id }) => id),
  );
  const lines = items
    .filter(({ id }) => !told.has(id))
    .slice(0, MOST_ITEMS)
    .map(({ id, kind, at, text: said }) => ({
      id,
      text: () => clip(`${id}, ${kind} of ${isoTime(at).slice(0, 10)}: ${said}`, ITEM_TOKENS),
    }));
  const composed = await compose('prompt', [{ title: 'Known about this:', lines, share: 1 }], PROMPT_TOKENS);
  if (!composed) return undefined;
  const { ids, tokens } = composed;
  return (await hook.tell(session, { occasion: 'prompt', ids, tokens })) ? composed.text : undefined;
}
