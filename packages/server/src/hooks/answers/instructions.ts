import { readFile, stat } from 'node:fs/promises';
import { decodeText } from '../../library/files/content.ts';
import { attestInstructions } from '../../library/instructions.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import { withinFolder } from '../../trust/identity/projects.ts';
import { scrubText } from '../../trust/secrets/scrubbing.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';

/** More than any host would put before its model. */
const MOST_BYTES = 1024 * 1024;
const MOST_REASON = 100;

/** A file of instructions went before the model: that is evidence, by its hash. What it says is not kept. */
export async function noteInstructions(
  { event: { path, reason }, folder, at }: HookCall<EventOf<'instructions-loaded'>>,
  hook: HookContext,
): Promise<HookAnswer> {
  const { journal, scrubber } = hook.services;
  const file = withinFolder(folder, path);
  if (!isLocalOwner(hook.caller) || scrubText(scrubber, file).count > 0) return {};
  const text = await textAsOf(path, at);
  if (text === undefined) return {};
  const session = await hook.beginSession();
  const why = reason === undefined ? null : scrubText(scrubber, reason.slice(0, MOST_REASON)).text;
  await attestInstructions(journal, hook.caller, session, { file, text, reason: why });
  return {};
}

/** Undefined where it has changed since: what was loaded then is not known any more. */
async function textAsOf(path: string, at: number): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MOST_BYTES || found.mtimeMs > at) return undefined;
    return decodeText(await readFile(path));
  } catch {
    return undefined;
  }
}
