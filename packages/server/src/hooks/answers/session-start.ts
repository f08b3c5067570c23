import { type Session, toldOf } from '../../trust/sessions/queries.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';
import { afterCompaction } from './compaction.ts';
import { type AnswerSection, compose } from './compose.ts';
import { branchLines, decisionLines, leftBranchLines, ruleLines, taskLines } from './session-facts.ts';

/** HOST-03: one short pack, or nothing. */
const WAKE_TOKENS = 800;

/** Ties the host's session to ours, and tells its model what it cannot know. */
export async function answerSessionStart(
  call: HookCall<EventOf<'session-start'>>,
  hook: HookContext,
): Promise<HookAnswer> {
  const former = hook.lastSession();
  const session = await hook.beginSession();
  // An agent that a model started is told by that model what it is for.
  if (call.isLate || call.agent !== undefined) return {};
  if (call.event.source === 'compact') return contextOf(await afterCompaction(hook, session));
  if (!hook.services.config.hooks.wake) return {};
  const fork = call.event.source === 'fork' ? await hook.forkedSession() : undefined;
  return contextOf(await wake(hook, session, fork ?? (former?.id === session.id ? undefined : former)));
}

function contextOf(context: string | undefined): HookAnswer {
  return context === undefined ? {} : { context };
}

/** `former` is the session that this one goes on from, where that was another one. */
export async function wake(
  hook: HookContext,
  session: Session,
  former?: Session,
): Promise<string | undefined> {
  const sections: AnswerSection[] = [
    { title: 'Open branch:', lines: branchLines(hook, session), share: 0.25 },
    {
      title: 'Branch of the session before this one (context_return with its id still keeps a summary):',
      lines: former ? leftBranchLines(hook, former) : [],
      share: 0.1,
    },
    { title: 'Rules in force (memory_load has the text):', lines: ruleLines(hook, session), share: 0.35 },
    { title: 'Open tasks:', lines: taskLines(hook, session), share: 0.25 },
    { title: 'Decided:', lines: decisionLines(hook, session), share: 0.25 },
  ];
  const composed = await compose('session start', withoutTold(hook, session, sections), WAKE_TOKENS);
  const told = { occasion: 'wake', ids: composed?.ids ?? [], tokens: composed?.tokens ?? 0 } as const;
  return (await hook.tell(session, told)) ? composed?.text : undefined;
}

/** A window that goes on has what it was told before. */
function withoutTold(
  { services }: HookContext,
  session: Session,
  sections: readonly AnswerSection[],
): AnswerSection[] {
  const ids = sections.flatMap(({ lines }) => lines.flatMap(({ id }) => id ?? []));
  const told = toldOf(services.journal.database, session.id, ids);
  return sections.map((section) => ({
    ...section,
    lines: section.lines.filter(({ id }) => id === undefined || !told.has(id)),
  }));
}
