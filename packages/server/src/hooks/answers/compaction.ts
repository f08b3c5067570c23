import { noteCompacting } from '../../trust/sessions/bind.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookScene } from '../hook-context.ts';
import { workOf } from '../work-in-hand.ts';
import { type Composed, clip, compose, type Line, type Section } from './compose.ts';
import {
  branchesWithPrompts,
  branchLines,
  constraintLines,
  decisionLines,
  findingLines,
  ruleLines,
  summaryLines,
  taskLines,
} from './session-facts.ts';

const BEFORE_TOKENS = 600;
/** HOST-04. */
const LABEL_TOKENS = 25;
const AFTER_TOKENS = 1500;
const MOST_FILES = 20;
const MOST_HANDLES = 15;

/** What the summary should not lose: ids that later calls need, and what the agent has to keep to. */
export async function answerBeforeCompaction(
  { event: { trigger }, isLate }: HookCall<EventOf<'before-compaction'>>,
  scene: HookScene,
): Promise<HookAnswer> {
  const session = await scene.beginSession();
  const { journal, config } = scene.services;
  if (isLate) return {};
  await noteCompacting(journal, scene.caller, session, trigger);
  if (!config.hooks.compaction) return {};
  const composed = await compose(
    'compaction',
    [
      { title: 'Open branches, whose ids later calls need:', lines: branchLines(scene, session), share: 0.3 },
      { title: 'Open tasks:', lines: taskLines(scene, session), share: 0.3 },
      { title: 'Constraints in force:', lines: inForce(scene, session), share: 0.4 },
    ],
    BEFORE_TOKENS,
  );
  return composed ? { instructions: composed.text } : {};
}

/** Some hosts tell when it is done: then it is on record, wherever what follows is said. */
export async function answerAfterCompaction(
  { isLate }: HookCall<EventOf<'after-compaction'>>,
  scene: HookScene,
): Promise<HookAnswer> {
  const session = await scene.beginSession();
  // Claude Code has begun anew and been told before it says this.
  if (isLate || scene.isToldAtStart) return {};
  await noteCompacting(scene.services.journal, scene.caller, session, 'auto');
  return {};
}

/** What a summary may have lost. `sign` is what the compaction is known by where its host does not tell of it. */
export async function afterCompaction(
  scene: HookScene,
  session: Session,
  sign: readonly string[] = [],
): Promise<string | undefined> {
  const composed = scene.services.config.hooks.compaction ? await lost(scene, session) : undefined;
  const ids = [...(composed?.ids ?? []), ...sign];
  const isTold = await scene.tell(session, { occasion: 'compaction', ids, tokens: composed?.tokens ?? 0 });
  return isTold ? composed?.text : undefined;
}

async function lost(scene: HookScene, session: Session): Promise<Composed | undefined> {
  const { files, handles } = await workOf(scene, session);
  const fileLines = files.slice(0, MOST_FILES).map(({ path, isChanged }) => ({
    text: () => `${path}${isChanged ? ' (changed)' : ''}`,
  }));
  const handleLines = handles.slice(0, MOST_HANDLES).map(({ handle, tool, about }) => ({
    text: () => `${handle}: ${clip(about === undefined ? tool : `${tool}: ${about}`, LABEL_TOKENS)}`,
  }));
  const sections: Section[] = [
    { title: 'Open branches:', lines: branchesWithPrompts(scene, session), share: 0.2 },
    {
      title: 'Branches that were folded, with their summaries:',
      lines: summaryLines(scene, session),
      share: 0.2,
    },
    { title: 'Findings:', lines: findingLines(scene, session), share: 0.15 },
    { title: 'Constraints in force:', lines: inForce(scene, session), share: 0.15 },
    { title: 'Files in work:', lines: fileLines, share: 0.1 },
    { title: 'Results that context_expand shows again:', lines: handleLines, share: 0.1 },
    { title: 'Open tasks:', lines: taskLines(scene, session), share: 0.05 },
    { title: 'Decided:', lines: decisionLines(scene, session), share: 0.05 },
  ];
  return compose('compaction', sections, AFTER_TOKENS);
}

/** Of rules that the session loaded; where it has loaded none, which rules there are. */
function inForce(scene: HookScene, session: Session): Line[] {
  const constraints = constraintLines(scene, session);
  return constraints.length > 0 ? constraints : ruleLines(scene, session);
}
