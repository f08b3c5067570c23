import { type Session, toldOf } from '../../trust/sessions/queries.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookScene } from '../hook-context.ts';
import { afterCompaction } from './compaction.ts';
import { compose, type Section } from './compose.ts';
import { branchLines, decisionLines, leftBranchLines, ruleLines, taskLines } from './session-facts.ts';

/** HOST-03: one short pack, or nothing. */
const WAKE_TOKENS = 800;

/** Ties the host's session to ours, and tells its model what it cannot know. */
export async function answerSessionStart(
  call: HookCall<EventOf<'session-start'>>,
  scene: HookScene,
): Promise<HookAnswer> {
  const former = scene.lastSession();
  const session = await scene.beginSession();
  // An agent that a model started is told by that model what it is for.
  if (call.isLate || call.agent !== undefined) return {};
  if (call.event.source === 'compact') return contextOf(await afterCompaction(scene, session));
  if (!scene.services.config.hooks.wake) return {};
  const fork = call.event.source === 'fork' ? await scene.forkedSession() : undefined;
  return contextOf(await wake(scene, session, fork ?? (former?.id === session.id ? undefined : former)));
}

function contextOf(context: string | undefined): HookAnswer {
  return context === undefined ? {} : { context };
}

/** `former` is the session that this one goes on from, where that was another one. */
export async function wake(
  scene: HookScene,
  session: Session,
  former?: Session,
): Promise<string | undefined> {
  const sections: Section[] = [
    { title: 'Open branch:', lines: branchLines(scene, session), share: 0.25 },
    {
      title: 'Branch of the session before this one (context_return with its id still keeps a summary):',
      lines: former ? leftBranchLines(scene, former) : [],
      share: 0.1,
    },
    { title: 'Rules in force (memory_load has the text):', lines: ruleLines(scene, session), share: 0.35 },
    { title: 'Open tasks:', lines: taskLines(scene, session), share: 0.25 },
    { title: 'Decided:', lines: decisionLines(scene, session), share: 0.25 },
  ];
  const composed = await compose('session start', withoutTold(scene, session, sections), WAKE_TOKENS);
  const told = { occasion: 'wake', ids: composed?.ids ?? [], tokens: composed?.tokens ?? 0 } as const;
  return (await scene.tell(session, told)) ? composed?.text : undefined;
}

/** A window that goes on has what it was told before. */
function withoutTold({ services }: HookScene, session: Session, sections: readonly Section[]): Section[] {
  const ids = sections.flatMap(({ lines }) => lines.flatMap(({ id }) => id ?? []));
  const told = toldOf(services.journal.database, session.id, ids);
  return sections.map((section) => ({
    ...section,
    lines: section.lines.filter(({ id }) => id === undefined || !told.has(id)),
  }));
}
