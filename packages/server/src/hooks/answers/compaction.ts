import { noteCompacting } from '../../trust/sessions/bind.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import type { EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';
import { workInHand } from '../work-in-hand.ts';
import { type AnswerLine, type AnswerSection, type Composed, clip, compose } from './compose.ts';
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
  hook: HookContext,
): Promise<HookAnswer> {
  const session = await hook.beginSession();
  const { journal, config } = hook.services;
  if (isLate) return {};
  await noteCompacting(journal, hook.caller, session, trigger);
  if (!config.hooks.compaction) return {};
  const composed = await compose(
    'compaction',
    [
      { title: 'Open branches, whose ids later calls need:', lines: branchLines(hook, session), share: 0.3 },
      { title: 'Open tasks:', lines: taskLines(hook, session), share: 0.3 },
      { title: 'Constraints in force:', lines: inForce(hook, session), share: 0.4 },
    ],
    BEFORE_TOKENS,
  );
  return composed ? { instructions: composed.text } : {};
}

/** Some hosts tell when it is done: then it is on record, wherever what follows is said. */
export async function answerAfterCompaction(
  { isLate }: HookCall<EventOf<'after-compaction'>>,
  hook: HookContext,
): Promise<HookAnswer> {
  const session = await hook.beginSession();
  // Claude Code has begun anew and been told before it says this.
  if (isLate || hook.isToldAtStart) return {};
  await noteCompacting(hook.services.journal, hook.caller, session, 'auto');
  return {};
}

/** What a summary may have lost. `sign` is what the compaction is known by where its host does not tell of it. */
export async function afterCompaction(
  hook: HookContext,
  session: Session,
  sign: readonly string[] = [],
): Promise<string | undefined> {
  const composed = hook.services.config.hooks.compaction ? await lost(hook, session) : undefined;
  const ids = [...(composed?.ids ?? []), ...sign];
  const isTold = await hook.tell(session, { occasion: 'compaction', ids, tokens: composed?.tokens ?? 0 });
  return isTold ? composed?.text : undefined;
}

async function lost(hook: HookContext, session: Session): Promise<Composed | undefined> {
  const { files, handles } = await workInHand(hook, session);
  const fileLines = files.slice(0, MOST_FILES).map(({ path, isChanged }) => ({
    text: () => `${path}${isChanged ? ' (changed)' : ''}`,
  }));
  const handleLines = handles.slice(0, MOST_HANDLES).map(({ handle, tool, about }) => ({
    text: () => `${handle}: ${clip(about === undefined ? tool : `${tool}: ${about}`, LABEL_TOKENS)}`,
  }));
  const sections: AnswerSection[] = [
    { title: 'Open branches:', lines: branchesWithPrompts(hook, session), share: 0.2 },
    {
      title: 'Branches that were folded, with their summaries:',
      lines: summaryLines(hook, session),
      share: 0.2,
    },
    { title: 'Findings:', lines: findingLines(hook, session), share: 0.15 },
    { title: 'Constraints in force:', lines: inForce(hook, session), share: 0.15 },
    { title: 'Files in work:', lines: fileLines, share: 0.1 },
    { title: 'Results that context_expand shows again:', lines: handleLines, share: 0.1 },
    { title: 'Open tasks:', lines: taskLines(hook, session), share: 0.05 },
    { title: 'Decided:', lines: decisionLines(hook, session), share: 0.05 },
  ];
  return compose('compaction', sections, AFTER_TOKENS);
}

/** Of rules that the session loaded; where it has loaded none, which rules there are. */
function inForce(hook: HookContext, session: Session): AnswerLine[] {
  const constraints = constraintLines(hook, session);
  return constraints.length > 0 ? constraints : ruleLines(hook, session);
}
