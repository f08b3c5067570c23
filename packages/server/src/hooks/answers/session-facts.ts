import { type Branch, lastOpen, listBranches, openPath } from '../../fold/queries.ts';
import { createdOf } from '../../fold/trajectory/pages.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { DoorName } from '../../kernel/config.ts';
import { type FileTraits, isForHost } from '../../library/files/traits.ts';
import { allFiles, constraintsByHash } from '../../library/queries/files.ts';
import { itemOfFile } from '../../library/queries/items.ts';
import { loadedRules } from '../../library/queries/sessions.ts';
import { openTasks, type StandingItem, standingDecisions } from '../../memory/open-tasks.ts';
import { findingsOfSession } from '../../transient/queries.ts';
import { projectById } from '../../trust/identity/queries.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import type { HookContext } from '../hook-context.ts';
import { type AnswerLine, clip } from './compose.ts';

/** What is told of a session and of its project, as lines. What a door knows that offers no tools here is left out. */

const LINE_TOKENS = 60;
const PROMPT_TOKENS = 150;
const SUMMARY_TOKENS = 100;
const MOST_SUMMARIES = 20;
const MOST_FINDINGS = 20;
const MOST_RULES = 60;
const MOST_TASKS = 12;
const MOST_DECISIONS = 12;

export function offers({ services }: HookContext, door: DoorName): boolean {
  return services.config.toolsets.includes(door);
}

/** The open branches, outermost first. */
export function branchLines(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'fold')) return [];
  return openPath(hook.services.journal.database, session.id).map((branch) => ({
    text: () => openBranchText(branch),
  }));
}

function openBranchText({ id, description, depth, budget, tokens }: Branch): string {
  const used = budget === null ? `${tokens} tokens` : `${tokens} of ${budget} tokens`;
  return `${id} (depth ${depth}, ${used}): ${clip(description, LINE_TOKENS)}`;
}

/** With what each was begun for, since a summary may have left that out. */
export function branchesWithPrompts(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'fold')) return [];
  const { journal } = hook.services;
  const textOf = (branch: Branch) => {
    const prompt = createdOf(journal, branch)?.prompt ?? '';
    const begun = prompt === '' ? '' : `; begun with: ${clip(prompt, PROMPT_TOKENS)}`;
    return `${openBranchText(branch)}${begun}`;
  };
  return openPath(journal.database, session.id).map((branch) => ({ text: () => textOf(branch) }));
}

/** What branches came to, the last folded first. Those that were folded within another one are part of its summary. */
export function summaryLines(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'fold')) return [];
  return listBranches(hook.services.journal.database, session.id)
    .filter(({ status, folded_by, summary }) => status === 'folded' && folded_by === null && summary)
    .sort((one, other) => (other.ended_at ?? 0) - (one.ended_at ?? 0) || other.ordinal - one.ordinal)
    .slice(0, MOST_SUMMARIES)
    .map(({ id, description, summary }) => ({
      text: () => `${id}, ${clip(description, 20)}: ${clip(summary!, SUMMARY_TOKENS)}`,
    }));
}

export function findingLines(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'transient')) return [];
  return findingsOfSession(hook.services.journal.database, session.id, MOST_FINDINGS).map(
    ({ id, finding, category }) => ({
      id,
      text: () => clip(category === null ? finding : `${category}: ${finding}`, LINE_TOKENS),
    }),
  );
}

/** The constraints of rules that the session has loaded: each item of a list by itself, other sections as a whole. */
export function constraintLines(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'library')) return [];
  const { database } = hook.services.journal;
  return loadedRules(database, session.id).flatMap(({ path, hash }) => {
    const constraints = constraintsByHash(database, hash);
    const isList = ({ id }: { id: string }) => constraints.some((other) => other.id === `${id}/1`);
    return constraints
      .filter((constraint) => !isList(constraint))
      .map(({ id, text }) => ({ text: () => clip(`${path}, ${id}: ${text}`, LINE_TOKENS) }));
  });
}

/** The branch in which another session stopped: this one goes on from there, but cannot fold it into itself. */
export function leftBranchLines(hook: HookContext, session: Session): AnswerLine[] {
  const branch = offers(hook, 'fold') && lastOpen(hook.services.journal.database, session.id);
  if (!branch) return [];
  return [{ text: () => `${branch.id}: ${clip(branch.description, LINE_TOKENS)}` }];
}

/** The rules of the project's library that are for this host, by path; what is deprecated last. */
export function ruleLines(hook: HookContext, session: Session): AnswerLine[] {
  const { database } = hook.services.journal;
  const workspace = offers(hook, 'library') && projectById(database, session.org, session.project_id);
  if (!workspace) return [];
  const rules = allFiles(database, workspace.workspace_id)
    .filter(({ kind }) => kind === 'rule')
    .map((file) => ({ ...file, traits: itemOfFile(file).traits }))
    .filter(({ traits }) => isForHost(traits, hook.host));
  const isOld = ({ traits }: { traits: FileTraits }) => Number(traits.deprecated ?? false);
  return rules
    .sort((one, other) => isOld(one) - isOld(other))
    .slice(0, MOST_RULES)
    .map(lineOfRule);
}

/** How a rule is named, and by what it is known whether it was: told of again when it has changed. */
export function lineOfRule({
  id,
  hash,
  path,
  description,
  traits: { deprecated, successor },
}: {
  id: string;
  hash: string;
  path: string;
  description: string | null;
  traits: FileTraits;
}): AnswerLine & { id: string } {
  const instead = successor === undefined ? '' : `: use ${successor}`;
  const name = deprecated ? `${path} (deprecated${instead})` : path;
  return {
    id: `${id}@${hash}`,
    text: () => clip(description === null ? name : `${name}: ${description}`, LINE_TOKENS),
  };
}

export function taskLines(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'memory')) return [];
  return openTasks(hook.services.journal.database, readerIn(hook, session), MOST_TASKS).map((task) => ({
    id: task.id,
    text: () => `${task.id}, ${(task.status ?? 'open').replaceAll('_', ' ')}: ${standingText(task)}`,
  }));
}

export function decisionLines(hook: HookContext, session: Session): AnswerLine[] {
  if (!offers(hook, 'memory')) return [];
  const { database } = hook.services.journal;
  return standingDecisions(database, readerIn(hook, session), MOST_DECISIONS).map((decision) => ({
    id: decision.id,
    text: () => `${decision.id}, ${isoTime(decision.at).slice(0, 10)}: ${standingText(decision)}`,
  }));
}

export function readerIn({ caller }: HookContext, { project_id }: Session) {
  return { caller, projectId: project_id, agentId: null };
}

/** Its name, and what it says besides. */
function standingText({ name, content }: Pick<StandingItem, 'name' | 'content'>): string {
  const isNamedByContent = content.trim().startsWith(name.replace(/…$/, ''));
  return clip(isNamedByContent ? content : `${name}: ${content}`, LINE_TOKENS);
}
