import type {
  AgentUsage,
  ConstraintUsage,
  DayUsage,
  ModelUsage,
  ProjectUsage,
  RuleUsage,
} from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import {
  constraintsReferred,
  fileKey,
  fileSums,
  type GroupSums,
  groupSums,
  lastUseAt,
  lastUses,
  type Sums,
  sessionCounts,
  sumsAt,
  type UsageFilter,
} from './evidence.ts';
import { constraintsByHash } from './files.ts';

const figuresOf = ({ loaded, referred, claimed, stale }: Sums) => ({
  ...{ loaded, referred, claimed_without_loading: claimed, stale },
});
const compareText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

interface PublishedFile {
  workspace_id: string;
  id: string;
  kind: RuleUsage['kind'];
  path: string;
  hash: string;
}

/** What is published in the workspaces that are asked for. */
function publishedFiles(database: Database, { workspaces, fileId }: UsageFilter): PublishedFile[] {
  return database.all<PublishedFile>(
    `SELECT workspace_id, id, kind, path, hash FROM library_file
     WHERE deleted = 0 AND id <> 'META_PROMPT.md' AND (?2 IS NULL OR id = ?2)
       AND (?1 IS NULL OR workspace_id IN (SELECT value FROM json_each(?1)))`,
    ...[workspaces === null ? null : JSON.stringify(workspaces), fileId ?? null],
  );
}

/** How a file was used, less what is concluded from it. */
export type FileUsage = Omit<
  RuleUsage,
  'project' | 'published_at' | 'revisions' | 'restored' | 'declined_drafts' | 'verdict' | 'why'
>;

/** Every rule, workflow and context file that is published, the most referred first. */
export function ruleUsage(database: Database, filter: UsageFilter): FileUsage[] {
  const sums = fileSums(database, 1, filter);
  const uses = lastUses(database, 1, filter);
  const referred = constraintsReferred(database, filter);
  return publishedFiles(database, filter)
    .map(({ workspace_id, id, kind, path }): FileUsage => {
      const sum = sumsAt(sums, workspace_id, id);
      const figures = {
        ...figuresOf(sum),
        ...{ turns: sum.turns, followed_turns: sum.followed, rejected_turns: sum.rejected },
        loaded_by_host: sum.loaded_by_host,
        constraints_referred: referred.get(fileKey(workspace_id, id)) ?? 0,
        ...lastUse(uses, workspace_id, id),
      };
      return { workspace_id, id, kind, path, ...figures, state: stateOf({ kind, ...figures }) };
    })
    .sort(
      (one, other) =>
        other.referred - one.referred || other.loaded - one.loaded || compareText(one.path, other.path),
    );
}

function lastUse(uses: ReturnType<typeof lastUses>, workspace: string, file: string) {
  const { agents, last_loaded_at, last_referred_at } = lastUseAt(uses, workspace, file);
  return { agents, last_loaded_at, last_referred_at };
}

function stateOf({
  kind,
  referred,
  loaded,
  loaded_by_host,
}: Pick<RuleUsage, 'kind' | 'referred' | 'loaded' | 'loaded_by_host'>): RuleUsage['state'] {
  if (referred > 0) return 'referred';
  if (loaded + loaded_by_host === 0) return 'never_loaded';
  return kind === 'context' ? 'loaded' : 'loaded_never_referred';
}

/** Constraints that were claimed, and those of loaded rules that never were. */
export function constraintUsage(database: Database, filter: UsageFilter): Omit<ConstraintUsage, 'project'>[] {
  const sums = fileSums(database, 2, filter);
  const files = fileSums(database, 1, filter);
  const uses = lastUses(database, 2, filter);
  const published = publishedFiles(database, filter).filter(({ kind }) => kind !== 'context');
  const paths = new Map(published.map(({ workspace_id, id, path }) => [fileKey(workspace_id, id), path]));
  const rows = new Map<string, Omit<ConstraintUsage, 'project'>>();
  const add = (
    workspace: string,
    rule: string,
    constraint: string,
    known: { path: string; text: string | null },
  ) => {
    const sum = sumsAt(sums, workspace, rule, constraint);
    const { referred, claimed, stale, turns, followed, rejected } = sum;
    const { agents, last_referred_at } = lastUseAt(uses, workspace, rule, constraint);
    rows.set(fileKey(workspace, rule, constraint), {
      ...{ workspace_id: workspace, rule_id: rule, path: known.path, constraint_id: constraint },
      ...{ text: known.text, current: known.text !== null, loaded: sumsAt(files, workspace, rule).loaded },
      ...{ referred, claimed_without_loading: claimed, stale, agents },
      ...{ turns, followed_turns: followed, rejected_turns: rejected, last_referred_at },
    });
  };
  for (const { workspace_id, file_id, constraint_id, referred } of sums.values()) {
    if (referred === 0) continue;
    const path = paths.get(fileKey(workspace_id, file_id)) ?? formerPath(database, workspace_id, file_id);
    add(workspace_id, file_id, constraint_id, { path: path ?? file_id, text: null });
  }
  for (const { workspace_id, id, path, hash } of published) {
    const { loaded, referred } = sumsAt(files, workspace_id, id);
    if (loaded + referred === 0) continue;
    for (const constraint of constraintsByHash(database, hash)) {
      add(workspace_id, id, constraint.id, { path, text: constraint.text });
    }
  }
  return [...rows.values()].sort(
    (one, other) =>
      other.referred - one.referred ||
      compareText(one.path, other.path) ||
      compareText(one.constraint_id, other.constraint_id),
  );
}

function formerPath(database: Database, workspaceId: string, fileId: string): string | undefined {
  return database.get<{ path: string }>(
    'SELECT path FROM library_file WHERE workspace_id = ? AND id = ?',
    ...[workspaceId, fileId],
  )?.path;
}

const byUse = (one: Sums, other: Sums) => other.referred - one.referred || other.loaded - one.loaded;
const turnFigures = (sum: GroupSums) => ({
  ...{ agents: sum.agents, turns: sum.turns, rejected_turns: sum.rejected },
  ...figuresOf(sum),
});

export function agentUsage(database: Database, filter: UsageFilter): AgentUsage[] {
  const sessions = sessionCounts(database, 'agent', filter);
  return groupSums(database, 'agent', filter)
    .sort((one, other) => byUse(one, other) || compareText(one.agent, other.agent))
    .map((sum) => ({
      ...{ agent: sum.agent, is_person: sum.is_person === 1 },
      sessions: sessions.get(fileKey(sum.agent, String(sum.is_person))) ?? 0,
      ...{ turns: sum.turns, submitted_turns: sum.submitted, rejected_turns: sum.rejected },
      ...figuresOf(sum),
    }));
}

export function modelUsage(database: Database, filter: UsageFilter): ModelUsage[] {
  const sessions = sessionCounts(database, 'model', filter);
  return groupSums(database, 'model', filter)
    .sort((one, other) => byUse(one, other) || compareText(one.model, other.model))
    .map((sum) => ({
      model: sum.model === '' ? null : sum.model,
      ...{ sessions: sessions.get(fileKey(sum.model, '0')) ?? 0, submitted_turns: sum.submitted },
      ...turnFigures(sum),
    }));
}

export function dayUsage(database: Database, filter: UsageFilter): DayUsage[] {
  return groupSums(database, 'day', filter)
    .sort((one, other) => compareText(other.day, one.day))
    .map((sum) => ({ day: sum.day, ...turnFigures(sum) }));
}

export function projectUsage(database: Database, filter: UsageFilter): Omit<ProjectUsage, 'project'>[] {
  return groupSums(database, 'project', filter)
    .sort((one, other) => byUse(one, other) || compareText(one.workspace_id, other.workspace_id))
    .map((sum) => ({ workspace_id: sum.workspace_id, ...turnFigures(sum) }));
}
