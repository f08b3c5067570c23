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
import { randomId } from '../kernel/ids.ts';
import type { Database } from '../kernel/sqlite.ts';
import { countTokensOf } from '../kernel/tokens.ts';
import { consumedMeta } from '../trust/sources.ts';
import { defineTool, type ToolContext, type ToolDefinition } from '../trust/tool.ts';
import { branchTexts } from './archive.ts';
import { createBranch, foldBranch } from './commands.ts';
import { findDropped, MOST_TEXT } from './dropped.ts';
import { branchNotActive, branchNotFound } from './errors.ts';
import { expand, type HandleResolver } from './expand.ts';
import {
  type Branch,
  branchOf,
  contextHealthOf,
  contextStateOf,
  emptyState,
  foldState,
  listBranches,
  openPath,
} from './queries.ts';
import { rollBackSession } from './rollback.ts';
import { commitToSession, openState } from './session.ts';
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
      description: input.description,
      prompt: input.prompt,
      tokens: await countTokensOf(input.prompt),
      budget: input.budget ?? null,
      secrets: context.secrets.count,
    };
    // What an empty session would refuse is refused before a session is made for it.
    createBranch({ state: emptyState(''), path: [] }, branch, config);
    context.spend('branches');
    const session = await context.sessionOrNew(project);
    const { answer, entry } = await commitToSession(
      context.journal,
      context.caller,
      session,
      (database, state) => createBranch({ state, path: openPath(database, session.id) }, branch, config),
    );
    return {
      structured: {
        branch_id: branch.id,
        session_id: session.id,
        parent_branch_id: answer.parentId,
        created_at: isoTime(entry!.at),
        branch_depth: answer.depth,
        context_state: currentState(context, session.id),
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
    checkText('message', input.message, context.config.limits.summaryBytes, false);
    const session = context.sessionIfAny(context.project(input.project_path));
    if (!session) {
      throw input.branch_id === undefined
        ? branchNotActive('fold', null, 'none')
        : branchNotFound(input.branch_id, null);
    }
    const { journal, database } = context;
    const find = (current: Database) =>
      input.branch_id === undefined ? undefined : findBranch(current, session.id, input.branch_id);
    const path = openPath(database, session.id);
    const branch = find(database) ?? path.at(-1);
    // The branch and the open children that go with it.
    const going = branch?.status === 'active' ? path.filter(({ depth }) => depth >= branch.depth) : [];
    const dropped = droppedFrom(context, going, input.message);
    const fold = {
      summary: input.message,
      summaryTokens: await countTokensOf(input.message),
      secrets: context.secrets.count,
      redacted: context.secrets.fields.includes('message'),
      consumes: await context.sources(input.sources),
    };
    const { answer, entry } = await commitToSession(journal, context.caller, session, (current, state) =>
      foldBranch({ state, path: openPath(current, session.id) }, find(current), fold),
    );
    context.connection.bind(session);
    if (dropped.more > 0)
      context.notices.push(`${dropped.more} more items were dropped; context_expand shows all`);
    const state = foldState(database, session.id);
    return {
      structured: {
        folded_at: isoTime(entry!.at),
        branch_id: answer.branch_id,
        parent_branch_id: answer.parent_id,
        summary: {
          tokens_folded: answer.tokens_folded,
          tokens_saved: answer.tokens_folded - answer.summary_tokens,
          operations_count: answer.operations,
          secrets_scrubbed: answer.secrets,
          summary_redacted: answer.summary_redacted,
        },
        context_state: contextStateOf(state),
        context_health: contextHealthOf(state, context.config.contextLimit),
        dropped: dropped.items,
      },
      ...(fold.consumes && { meta: consumedMeta(fold.consumes) }),
    };
  },
});

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
  run(input, context) {
    const session = context.sessionIfAny(context.project(input.project_path));
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
  run(input, context) {
    const session = context.sessionIfAny(context.project(input.project_path));
    const branches = session ? listBranches(context.database, session.id) : [];
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
    'Rollback to specific branch point, to undo a wrong turn: later branches are discarded (kept in the archive).',
  searchHint: 'undo, go back, abandon a failed approach, revert to an earlier point',
  input: rollbackInput,
  output: rollbackOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  scope: 'write',
  async run(input, context) {
    const session = context.sessionIfAny(context.project(input.project_path));
    const toMain = input.branch_id === 'main';
    if (!session) throw branchNotFound(input.branch_id, null);
    const { answer } = await commitToSession(context.journal, context.caller, session, (database, state) =>
      rollBackSession(
        database,
        state,
        toMain ? undefined : findBranch(database, session.id, input.branch_id),
        input.restore_state ?? false,
      ),
    );
    context.connection.bind(session);
    const { active_branch_id, branch_depth, total_tokens, collapsible } = currentState(context, session.id);
    return {
      structured: {
        rolled_back_to: input.branch_id,
        branches_discarded: answer.discarded,
        tokens_recovered: answer.recovered,
        context_state: { active_branch_id, branch_depth, total_tokens, collapsible },
      },
    };
  },
});

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

function findBranch(database: Database, sessionId: string, branchId: string): Branch {
  const branch = branchOf(database, sessionId, branchId);
  if (!branch) throw branchNotFound(branchId, sessionId);
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
