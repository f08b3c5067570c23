import { toolUseOf } from '@infold/client/window';
import { appliesToAny, isForHost } from '../../library/files/traits.ts';
import { filesWithTraits } from '../../library/queries/files.ts';
import { withinFolder } from '../../trust/identity/projects.ts';
import { projectById } from '../../trust/identity/queries.ts';
import { toldOf } from '../../trust/sessions/queries.ts';
import type { HookCall, ToolEvent } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';
import { compose } from './compose.ts';
import { lineOfRule, offers } from './session-facts.ts';

const RULES_TOKENS = 300;
const MOST_RULES = 10;

/**
 * Names rules that apply to the files which a tool read or changed and of which the session has not been told, once. After the
 * call and not before it: agents read a file before they change it, and a second hook at each call would cost more than it tells.
 */
export async function rulesForFiles(
  { event: { tool, input }, isLate, agent, folder }: HookCall<ToolEvent>,
  hook: HookContext,
): Promise<string | undefined> {
  // A subagent's window is another one, which is told by who started it.
  if (isLate || agent !== undefined || !hook.services.config.hooks.wake || !offers(hook, 'library'))
    return undefined;
  const files = filesOf(tool, input).map((file) => withinFolder(folder, file));
  if (files.length === 0) return undefined;
  const { database } = hook.services.journal;
  const session = hook.findSession();
  const project = session && projectById(database, session.org, session.project_id);
  if (!session || !project) return undefined;
  const rules = filesWithTraits(database, project.workspace_id).filter(
    ({ kind, traits }) =>
      kind !== 'context' && !traits.deprecated && isForHost(traits, hook.host) && appliesToAny(traits, files),
  );
  if (rules.length === 0) return undefined;
  const lines = rules.map(lineOfRule);
  const told = toldOf(
    database,
    session.id,
    lines.map(({ id }) => id),
  );
  const untold = lines.filter(({ id }) => !told.has(id)).slice(0, MOST_RULES);
  const title = `Rules for ${files[0]} (memory_load has the text):`;
  const composed = await compose('file', [{ title, lines: untold, share: 1 }], RULES_TOKENS);
  if (!composed) return undefined;
  const { ids, tokens, text } = composed;
  return (await hook.tell(session, { occasion: 'tool', ids, tokens })) ? text : undefined;
}

function filesOf(tool: string, input: unknown): string[] {
  const use = toolUseOf(tool, input);
  if (use?.kind === 'read' || use?.kind === 'write') return [use.file];
  return use?.kind === 'edit' ? [use.file, ...(use.others ?? [])] : [];
}
