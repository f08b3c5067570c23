import { InfoldError } from '../../kernel/errors.ts';
import { WindowArchive } from '../../window/originals/archive.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';

/** Keeps what a plugin takes out of its host's window, all of it or nothing: what is not kept does not leave. */
export async function keepOriginals(
  { session, event, isLate }: HookCall<EventOf<'originals'>>,
  hook: HookContext,
): Promise<HookAnswer> {
  // Whoever asked has long gone on without an answer.
  if (isLate) return {};
  const { originals } = event;
  const wrong = originals.find(({ handle }) => !WindowArchive.isHandle(handle));
  if (wrong)
    throw new InfoldError(
      'invalid_arguments',
      `Not a handle of the window door (win_…): ${wrong.handle.slice(0, 40)}`,
    );
  const { id } = await hook.beginSession();
  const { windowArchive } = hook.services.parts;
  await windowArchive.open();
  const kept = originals.map((original) => ({ ...original, conversation: id, session }));
  windowArchive.keep(hook.caller, kept);
  return { kept: originals.length };
}
