import {
  branchInput,
  branchOutput,
  branchStatusOutput,
  expandInput,
  expandOutput,
  listBranchesOutput,
  projectInput,
  returnInput,
  returnOutput,
  rollbackInput,
  rollbackOutput,
} from '@infold/protocol';
import { isoTime } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import { randomId } from '../kernel/ids.ts';
import type { Database } from '../kernel/sqlite.ts';
import { countTokensOf } from '../kernel/tokens.ts';
import type { Caller } from '../trust/caller.ts';
import { projectEvents } from '../trust/projects.ts';
import type { Session } from '../trust/sessions/queries.ts';
import { consumedMeta } from '../trust/sources.ts';
import { defineTool, type ToolContext, type ToolDefinition } from '../trust/tool.ts';
import { branchTexts } from './archive.ts';
import { abandonBranch, createBranch, type Fold, foldBranch } from './commands.ts';
import { findDropped, MOST_TEXT } from './dropped.ts';
import { branchNotActive, branchNotFound } from './errors.ts';
import type { BranchFolded } from './events.ts';
import { expand, type HandleResolver } from './expand.ts';
import { type LateBranch, lateBranch, returnLateTo } from './late.ts';
import {
  type Branch,
  branchOf,
  contextHeaderOf,
  contextHealthOf,
  contextStateOf,
  emptyState,
  foldState,
  isOpenTo,
  listBranches,
  openPath,
} from './queries.ts';
import { refuseClosed, rollBackSession } from './rollback.ts';
import { commitToSession, openState, stateToWrite } from './session.ts';
import { checkText } from './text.ts';

const MOST_OPERATIONS_CHECKED = 2000;

/** Handles of other doors (collapsed results, say) are resolved by what the composition root hands in. */
export function foldTools(resolvers: readonly HandleResolver[] = []): ToolDefinition[] {
  return [branchTool, returnTool, statusTool, listTool, rollbackTool, expandTool(resolvers)];
}

const branchTool = defineTool({
  name: 'context_branch',
  door: 'fold',
  title: 'Branch off a subtask',
  description:
    'Create sub-trajectory for focused subtask (search, debug, explore, research), so that it does not fill the window. Fold it with context_return when done.',
  alwaysLoad: true,
  input: branchInput,
  output: branchOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  scope: 'write',
  async run(input, context) {
    const { config } = context;
    checkText('description', input.description, config.limits.promptBytes, true);
    checkText('prompt', input.prompt, config.limits.promptBytes, true);
    const project = context.project(input.project_path);
    const branch = {
      id: randomId('br'),
      projectId: project.id,
      description: input.description,
      prompt: input.prompt,
      tokens: await countTokensOf(input.prompt),
      budget: input.budget ?? null,
      secrets: context.secrets.count,
    };
    // What an empty session would refuse is refused before a session is made for it.
    createBranch({ state: emptyState(''), path: [] }, branch, config);
    context.spend('branches');
    const { answer, entry, session } = await context.writeToSession(
      (database, session, isNew) => {
        const created = createBranch(stateToWrite(database, session, isNew), branch, config);
        // A new session adds its own project, which is this one.
        const added = isNew ? [] : projectEvents(database, context.caller, project);
        return { events: [...added, ...created.events], answer: created.answer };
      },
      { beginsAlone: true },
    );
    if (context.sessionId === undefined && !context.hasOwnSession) {
      context.notices.push(
        `Nothing else tells which session your calls are for: pass session_id "${session.id}" with the later ones`,
      );
    }
    // What was decided on is known: nothing has to be read again to tell it.
    context.contextState = contextHeaderOf(answer.state, config.contextLimit);
    return {
      structured: {
        branch_id: branch.id,
        session_id: session.id,
        parent_branch_id: answer.parentId,
        created_at: isoTime(entry!.at),
        branch_depth: answer.depth,
        context_state: contextStateOf(answer.state),
      },
    };
  },
});

const returnTool = defineTool({
  name: 'context_return',
  door: 'fold',
  title: 'Fold a branch',
  description:
    'Fold branch and return to parent with summary: the subtask is finished. "dropped" lists what the branch held and the summary does not say.',
  alwaysLoad: true,
  input: returnInput,
  output: returnOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  scope: 'write',
  async run(input, context) {
    checkText('message', input.message, context.config.limits.summaryBytes, true);
    const fold = {
      summary: input.message,
      summaryTokens: await countTokensOf(input.message),
      secrets: context.secrets.count,
      redacted: context.secrets.fields.includes('message'),
      consumes: await context.sources(input.sources),
    };
    const late = lateBranch(context, input.branch_id);
    const answer = await (late ? foldLate(context, late, fold) : foldOpen(context, input.branch_id, fold));
    return { ...answer, ...(fold.consumes && { meta: consumedMeta(fold.consumes) }) };
  },
});

async function foldOpen(context: ToolContext, branchId: string | undefined, fold: Fold) {
  const { journal, database, caller } = context;
  const session = sessionOfBranch(context, branchId);
  if (!session) {
    throw branchId === undefined ? branchNotActive('fold', null, 'none') : branchNotFound(branchId, null);
  }
  const find = (current: Database) =>
    branchId === undefined ? undefined : findBranch(current, caller, session.id, branchId);
  const path = openPath(database, session.id);
  const branch = find(database) ?? path.at(-1);
  // The branch and the open children that go with it.
  const going = branch?.status === 'active' ? path.filter(({ depth }) => depth >= branch.depth) : [];
  refuseClosed(caller, going);
  const dropped = droppedFrom(context, going, fold.summary);
  const { answer, entry } = await commitToSession(journal, caller, session, (current, state) =>
    foldBranch({ state, path: openPath(current, session.id) }, find(current), fold),
  );
  return returned(context, { ...answer, foldedAt: entry!.at, dropped });
}

async function foldLate(context: ToolContext, late: LateBranch, fold: Fold) {
  const { parent_id, tokens: tokens_folded, operations } = late.branch;
  const dropped = droppedFrom(context, [late.branch], fold.summary);
  const { answer, entry } = await returnLateTo(context, late, fold);
  context.notices.push(
    `The session of ${answer.branch_id} had ended: its summary was kept, and the branch stays expired`,
  );
  return returned(context, {
    ...answer,
    parent_id,
    tokens_folded,
    operations,
    foldedAt: entry!.at,
    dropped,
  });
}

type Returned = Omit<BranchFolded, 'tokens_own' | 'folded_by'> & {
  operations: number;
  foldedAt: number;
  dropped: ReturnType<typeof findDropped>;
};

function returned(context: ToolContext, fold: Returned) {
  const { dropped } = fold;
  if (dropped.more > 0)
    context.notices.push(`${dropped.more} more items were dropped; context_expand shows all`);
  const state = foldState(context.database, fold.session_id);
  return {
    structured: {
      folded_at: isoTime(fold.foldedAt),
      branch_id: fold.branch_id,
      parent_branch_id: fold.parent_id,
      summary: {
        tokens_folded: fold.tokens_folded,
        tokens_saved: fold.tokens_folded - fold.summary_tokens,
        operations_count: fold.operations,
        secrets_scrubbed: fold.secrets,
        summary_redacted: fold.summary_redacted,
      },
      context_state: contextStateOf(state),
      context_health: contextHealthOf(state, context.config.contextLimit),
      dropped: dropped.items,
    },
  };
}

const statusTool = defineTool({
  name: 'context_branch_status',
  door: 'fold',
  title: 'Where the context stands',
  description: 'Get current branch state: path, tokens per open branch, how full the context window is.',
  searchHint: 'token usage, context size left, budget, current subtask',
  input: projectInput,
  output: branchStatusOutput,
  annotations: { readOnlyHint: true, idempotentHint: true },
  scope: 'read',
  run(_input, context) {
    const session = context.sessionIfAny() ?? context.noteUnclear();
    const { contextLimit } = context.config;
    const { state, path } = session
      ? openState(context.database, session.id)
      : { state: emptyState(''), path: [] };
    return {
      structured: {
        session_id: session?.id ?? null,
        active_branch_id: state.active_branch_id,
        branch_depth: state.depth,
        branch_path: ['main', ...path.map((branch) => branch.id)],
        token_breakdown: {
          main_thread: state.main_tokens,
          ...Object.fromEntries(path.map((branch) => [branch.id, branch.tokens])),
          total: state.total,
          folded_total: state.folded_total,
        },
        context_limit: contextLimit,
        usage_percent: Math.round((state.total / contextLimit) * 100),
        collapsible: state.collapsible,
      },
    };
  },
});

const listTool = defineTool({
  name: 'context_list_branches',
  door: 'fold',
  title: 'List branches',
  description: 'List all branches (subtasks) for session with status, tokens and times.',
  searchHint: 'history of subtasks, what was folded, open branches',
  input: projectInput,
  output: listBranchesOutput,
  annotations: { readOnlyHint: true, idempotentHint: true },
  scope: 'read',
  run(_input, context) {
    const session = context.sessionIfAny() ?? context.noteUnclear();
    const all = session ? listBranches(context.database, session.id) : [];
    const branches = all.filter((branch) => isOpenTo(context.caller, branch));
    const count = (status: Branch['status']) => branches.filter((branch) => branch.status === status).length;
    return {
      structured: {
        branches: branches.map((branch) => ({
          id: branch.id,
          description: branch.description,
          status: branch.status,
          tokens: branch.tokens_folded ?? branch.tokens,
          created_at: isoTime(branch.created_at),
          ...(branch.status === 'folded' && branch.ended_at !== null
            ? { folded_at: isoTime(branch.ended_at) }
            : {}),
        })),
        total_branches: branches.length,
        active_branches: count('active'),
        folded_branches: count('folded'),
        discarded_branches: count('discarded'),
        expired_branches: count('expired'),
      },
    };
  },
});

const rollbackTool = defineTool({
  name: 'context_rollback',
  door: 'fold',
  title: 'Roll back to a branch',
  description:
    'Rollback to specific branch point, to undo a wrong turn: later branches are discarded (kept in the archive). With abandon: give up one open branch alone.',
  searchHint: 'undo, go back, abandon a failed approach, revert to an earlier point',
  input: rollbackInput,
  output: rollbackOutput,
  // Everything stays in the archive: nothing is destroyed.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  scope: 'write',
  async run({ branch_id, abandon, restore_state }, context) {
    const { journal, caller } = context;
    const named = branch_id === 'main' ? undefined : branch_id;
    if (abandon && named === undefined)
      throw cannotAbandon('The main thread cannot be abandoned; name a branch');
    if (abandon && restore_state) throw cannotAbandon('restore_state does not go with abandon');
    if (named !== undefined && lateBranch(context, named)) {
      throw branchNotActive(abandon ? 'abandon' : 'roll back to', named, 'expired');
    }
    const session = sessionOfBranch(context, named);
    if (!session) throw branchNotFound(branch_id, null);
    const { answer } = await commitToSession(journal, caller, session, (database, state) => {
      const branch = named === undefined ? undefined : findBranch(database, caller, session.id, named);
      if (!abandon || !branch)
        return rollBackSession(database, state, branch, restore_state ?? false, caller);
      return abandonBranch({ state, path: openPath(database, session.id) }, branch);
    });
    const { active_branch_id, branch_depth, total_tokens, collapsible } = currentState(context, session.id);
    return {
      structured: {
        rolled_back_to: abandon ? (active_branch_id ?? 'main') : branch_id,
        branches_discarded: answer.discarded,
        tokens_recovered: answer.recovered,
        context_state: { active_branch_id, branch_depth, total_tokens, collapsible },
      },
    };
  },
});

function cannotAbandon(message: string): InfoldError {
  return new InfoldError('invalid_arguments', message);
}

function expandTool(resolvers: readonly HandleResolver[]): ToolDefinition {
  return defineTool({
    name: 'context_expand',
    door: 'fold',
    title: 'Get an original back',
    description:
      'Read what was folded or collapsed again: the original of a branch or a result, by its handle, in pages.',
    alwaysLoad: true,
    input: expandInput,
    output: expandOutput,
    annotations: { readOnlyHint: true, idempotentHint: true },
    scope: 'read',
    run: (input, context) => expand(input, context, resolvers),
  });
}

/** A branch names its session; one that does not is unknown, and asking which session is meant would not help. */
function sessionOfBranch(context: ToolContext, branchId: string | undefined): Session | undefined {
  if (branchId !== undefined && context.lookUpSession().kind === 'unclear') {
    throw branchNotFound(branchId, context.sessionIfAny()?.id ?? null);
  }
  return context.sessionToWrite();
}

function findBranch(database: Database, caller: Caller, sessionId: string, branchId: string): Branch {
  const branch = branchOf(database, sessionId, branchId);
  if (!branch) throw branchNotFound(branchId, sessionId);
  refuseClosed(caller, [branch]);
  return branch;
}

function currentState(context: ToolContext, sessionId: string) {
  return contextStateOf(foldState(context.database, sessionId));
}

function droppedFrom({ journal }: ToolContext, branches: readonly Branch[], summary: string) {
  const { said, seen } = branchTexts(journal, branches, {
    operations: MOST_OPERATIONS_CHECKED,
    characters: MOST_TEXT,
  });
  return findDropped(said, seen, summary);
}
