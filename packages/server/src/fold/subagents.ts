import { randomId } from '../kernel/ids.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { Session } from '../trust/sessions/queries.ts';
import { type Fold, folded } from './commands/return.ts';
import type { BranchCreated, FoldEvent } from './events.ts';
import {
  activeAt,
  type Branch,
  branchById,
  branchOfAgent,
  type FoldState,
  summariesOfAgents,
} from './queries.ts';

/** A call of a host's tool, as its hook tells it. */
export interface HookedCall {
  caller: Caller;
  session: Session;
  tool: string;
  callId?: string | undefined;
  /** The subagent that made it. */
  agent?: string | undefined;
  input: unknown;
  /** What the model sees of the result. */
  output?: string | undefined;
  /** The whole result, where the model sees less of it. */
  original?: string | undefined;
  /** What of the output the journal keeps, where that is not all. */
  kept?: string | undefined;
  /** When it happened, and whether that is told only now. */
  at: number;
  isLate: boolean;
  /** It is a tool of this server, which counts it itself. */
  isOwn: boolean;
}

/** Where a call counts: undefined where it is in what was discarded or has ended. */
export interface PlaceOfCall {
  /** Undefined for the active branch, null for the main thread. */
  branchId: string | null | undefined;
  /** What comes before it: the branch of a subagent that nobody saw start. */
  events: FoldEvent[];
  created?: string;
}

export function placeOfCall(
  database: Database,
  state: FoldState,
  session: Session,
  { agent, at, isLate }: Pick<HookedCall, 'agent' | 'at' | 'isLate'>,
): PlaceOfCall | undefined {
  if (agent === undefined) {
    return { branchId: isLate ? (activeAt(database, session.id, at)?.id ?? null) : undefined, events: [] };
  }
  const last = branchOfAgent(database, session.id, agent);
  if (last) {
    const isThere = last.status === 'active' || last.status === 'folded';
    return isThere ? { branchId: last.id, events: [] } : undefined;
  }
  const created = beginAgent(database, state, session, { agent });
  return { branchId: created.data.branch_id, events: [created], created: created.data.branch_id };
}

export interface NewAgent {
  agent: string;
  /** What kind of agent it is, and what it is to do, where the host tells. */
  type?: string | undefined;
  task?: string | undefined;
  /** The task in a few words. */
  title?: string | undefined;
  tokens?: number;
  secrets?: number;
  /** The subagent that started it. */
  startedBy?: string | undefined;
}

/** A branch beside the active one, or below that of the subagent that started it. */
export function beginAgent(
  database: Database,
  state: FoldState,
  session: Session,
  { agent, type, task = '', title = task, tokens = 0, secrets = 0, startedBy }: NewAgent,
): { type: 'branch.created'; data: BranchCreated } {
  const starter = startedBy === undefined ? undefined : branchOfAgent(database, session.id, startedBy);
  const parent =
    starter ?? (state.active_branch_id === null ? undefined : branchById(database, state.active_branch_id));
  const data = {
    session_id: session.id,
    branch_id: randomId('br'),
    parent_id: parent?.id ?? null,
    project_id: parent?.project_id ?? session.project_id,
    depth: (parent?.depth ?? 0) + 1,
    description: describeAgent(type, title),
    prompt: task,
    ...{ tokens, budget: null, secrets, agent },
  };
  return { type: 'branch.created', data };
}

const LONGEST_TITLE = 100;

function describeAgent(type: string | undefined, about: string): string {
  const [line = ''] = about.trim().split('\n', 1);
  const characters = [...line];
  const title = characters.length > LONGEST_TITLE ? `${characters.slice(0, LONGEST_TITLE).join('')}…` : line;
  return [type ? `Subagent ${type}` : 'Subagent', title].filter((part) => part !== '').join(': ');
}

type Foldable = Pick<Branch, 'id' | 'session_id' | 'parent_id' | 'tokens' | 'secrets'>;

/** Those that it started and that are still open go first, innermost out, with an empty summary. */
export function foldAgent(branch: Foldable, open: readonly Foldable[], fold: Fold): FoldEvent[] {
  const events: FoldEvent[] = [];
  const foldBelow = (parent: Foldable): number => {
    let carried = 0;
    for (const child of open.filter(({ parent_id }) => parent_id === parent.id)) {
      const below = foldBelow(child);
      carried += child.tokens + below;
      events.push(
        folded(branch.session_id, child, {
          ...{ summary: '', summary_tokens: 0, summary_redacted: false, secrets: child.secrets },
          ...{ tokens_folded: child.tokens + below, folded_by: branch.id },
        }),
      );
    }
    return carried;
  };
  const carried = foldBelow(branch);
  const { summary, summaryTokens: summary_tokens, redacted: summary_redacted } = fold;
  events.push(
    folded(branch.session_id, branch, {
      ...{ summary, summary_tokens, summary_redacted, secrets: branch.secrets + fold.secrets },
      ...{ tokens_folded: branch.tokens + carried, folded_by: null },
    }),
  );
  return events;
}

/** At the end of a host's session: nobody will say any more what those came to that are still open. */
export function foldLeftAgents(open: readonly Branch[]): FoldEvent[] {
  const ids = new Set(open.map(({ id }) => id));
  return open
    .filter(({ parent_id }) => parent_id === null || !ids.has(parent_id))
    .flatMap((branch) =>
      foldAgent(branch, open, { summary: '', summaryTokens: 0, secrets: 0, redacted: false }),
    );
}

/** Of so many subagents the message is looked for in a result. */
const MOST_SUMMARIES = 50;

/**
 * What of a result is counted already. The tool that starts a subagent, or waits for it, answers with the message that its
 * branch was folded with: the fold has brought those tokens. A few words that stand in a longer text are no such answer.
 */
export function summaryIn(database: Database, { id }: Session, output: string | undefined): number {
  if (!output) return 0;
  const found = summariesOfAgents(database, id, MOST_SUMMARIES).find(
    ({ summary }) => summary.length * 2 >= output.length && output.includes(summary),
  );
  return found?.summary_tokens ?? 0;
}
