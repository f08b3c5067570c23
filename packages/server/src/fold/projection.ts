import { FORGOTTEN } from '../journal/journal.ts';
import type { EventPlace, Projection } from '../journal/projections/projector.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { OperationCompleted, RolledBackBranch } from './events.ts';
import { branchById, operationAt, operationOfHandle } from './queries.ts';

/** Adds tokens to a branch, or to the main thread. What is open in all is summed up when it is asked for. */
function addTokens(database: Database, session: string, branch: string | null, tokens: number): void {
  if (tokens === 0) return;
  if (branch === null) {
    database.run('UPDATE fold_main SET tokens = tokens + ? WHERE session_id = ?', tokens, session);
  } else {
    database.run('UPDATE fold_branch SET tokens = tokens + ? WHERE id = ?', tokens, branch);
  }
}

/** Where the branch was folded already, its fold took so much more out of sight, and those of its parents that took it along. */
function addFolded(database: Database, session: string, branch: string | null, tokens: number): void {
  let folded = branch === null || tokens === 0 ? undefined : branchById(database, branch);
  if (folded?.status !== 'folded') return;
  database.run('UPDATE fold_main SET folded_total = folded_total + ? WHERE session_id = ?', tokens, session);
  while (folded) {
    database.run('UPDATE fold_branch SET tokens_folded = tokens_folded + ? WHERE id = ?', tokens, folded.id);
    const isTaken: boolean = folded.folded_by !== null && folded.parent_id !== null;
    folded = isTaken ? branchById(database, folded.parent_id!) : undefined;
  }
}

/** What the session's own window was spared by shorter results: those of subagents would not have been in there. */
function addShortened(database: Database, session: string, branch: string | null, tokens: number): void {
  if (branch !== null && branchById(database, branch)?.agent != null) return;
  database.run('UPDATE fold_main SET shortened = shortened + ? WHERE session_id = ?', tokens, session);
}

/** What collapsing would take out of a branch, or of the main thread. */
function addCollapsible(database: Database, session: string, branch: string | null, tokens: number): void {
  if (tokens === 0) return;
  if (branch === null) {
    database.run('UPDATE fold_main SET collapsible = collapsible + ? WHERE session_id = ?', tokens, session);
  } else {
    database.run('UPDATE fold_branch SET collapsible = collapsible + ? WHERE id = ?', tokens, branch);
  }
}

type Counted = Pick<OperationCompleted, 'session_id' | 'branch_id' | 'tokens' | 'secrets'> &
  Pick<Partial<OperationCompleted>, 'output_tokens' | 'handle' | 'summary_tokens'>;

function countOperation(database: Database, operation: Counted, { entry, index }: EventPlace): void {
  const { session_id, branch_id, tokens, handle = null } = operation;
  const { output_tokens = null, summary_tokens = null } = operation;
  database.run(
    `INSERT INTO fold_operation (session_id, branch_id, seq, place, tokens, output_tokens, handle, summary_tokens)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    session_id,
    branch_id ?? '',
    entry.seq,
    index,
    tokens,
    output_tokens,
    handle,
    summary_tokens,
  );
  // A long result may be counted after the call that used it up.
  if (handle !== null && isConsumed(database, session_id, handle)) {
    addCollapsible(database, session_id, branch_id, gainOf({ output_tokens, summary_tokens }));
  }
  if (branch_id === null) {
    addTokens(database, session_id, null, tokens);
    return;
  }
  database.run(
    'UPDATE fold_branch SET tokens = tokens + ?, operations = operations + 1, secrets = secrets + ? WHERE id = ?',
    tokens,
    operation.secrets,
    branch_id,
  );
}

function isConsumed(database: Database, session: string, handle: string): boolean {
  const sql = 'SELECT 1 FROM fold_consumed WHERE session_id = ? AND handle = ?';
  return database.get(sql, session, handle) !== undefined;
}

interface Gain {
  output_tokens: number | null;
  summary_tokens: number | null;
}

function gainOf({ output_tokens, summary_tokens }: Gain): number {
  return Math.max(0, (output_tokens ?? 0) - (summary_tokens ?? 0));
}

/** Results are used up once; what is not counted yet is remembered until it is. */
function consume(database: Database, session: string, handles: readonly string[]): void {
  for (const handle of handles) {
    const isNew = database.run('INSERT OR IGNORE INTO fold_consumed VALUES (?, ?)', session, handle) > 0;
    const result = isNew ? operationOfHandle(database, session, handle) : undefined;
    if (!result || result.collapsed || result.discarded) continue;
    addCollapsible(database, session, result.branch_id, gainOf(result));
  }
}

/** Rollbacks are rare, so what is left to collapse is summed up again. */
function sumCollapsible(database: Database, session: string, branch: string | null): void {
  const sum = `(SELECT coalesce(sum(max(0, output_tokens - summary_tokens)), 0)
    FROM fold_operation JOIN fold_consumed USING (session_id, handle)
    WHERE session_id = ?1 AND branch_id = ?2 AND discarded = 0 AND collapsed = 0)`;
  const table = branch === null ? 'fold_main' : 'fold_branch';
  const row = branch === null ? 'session_id = ?1' : 'id = ?2';
  database.run(`UPDATE ${table} SET collapsible = ${sum} WHERE ${row}`, session, branch ?? '');
}

export const foldProjection: Projection = {
  name: 'fold',
  version: 3,
  tables: `
CREATE TABLE fold_main (
  session_id TEXT PRIMARY KEY,
  tokens INTEGER NOT NULL,
  collapsible INTEGER NOT NULL,
  folded_total INTEGER NOT NULL,
  shortened INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE fold_branch (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  parent_id TEXT,
  depth INTEGER NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  agent TEXT,
  tokens INTEGER NOT NULL,
  collapsible INTEGER NOT NULL DEFAULT 0,
  tokens_folded INTEGER,
  operations INTEGER NOT NULL,
  secrets INTEGER NOT NULL,
  budget INTEGER,
  summary TEXT,
  summary_tokens INTEGER NOT NULL,
  folded_by TEXT,
  created_at INTEGER NOT NULL,
  created_seq INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX fold_branch_session ON fold_branch (session_id, ordinal);
CREATE INDEX fold_branch_children ON fold_branch (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX fold_branch_project ON fold_branch (project_id, session_id);
CREATE INDEX fold_branch_open ON fold_branch (session_id, depth) WHERE status = 'active' AND agent IS NULL;
CREATE INDEX fold_branch_agent ON fold_branch (session_id, agent) WHERE agent IS NOT NULL;
-- Pointers into the journal; the empty branch is the main thread.
CREATE TABLE fold_operation (
  session_id TEXT NOT NULL,
  branch_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  output_tokens INTEGER,
  handle TEXT,
  summary_tokens INTEGER,
  collapsed INTEGER NOT NULL DEFAULT 0,
  discarded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, branch_id, seq, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX fold_operation_handle ON fold_operation (session_id, handle) WHERE handle IS NOT NULL;
CREATE TABLE fold_consumed (
  session_id TEXT NOT NULL,
  handle TEXT NOT NULL,
  PRIMARY KEY (session_id, handle)
) STRICT, WITHOUT ROWID;
CREATE TABLE fold_call (
  session_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  branch_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (session_id, call_id)
) STRICT, WITHOUT ROWID;
`,
  on: {
    'session.started': (database, { session_id }) => {
      database.run('INSERT INTO fold_main VALUES (?, 0, 0, 0, 0)', session_id);
    },

    // FOLD-12: live state goes, what was folded and archived stays.
    'session.expired': (database, { session_id }, { entry }) => {
      database.run(
        `UPDATE fold_branch SET status = 'expired', ended_at = ? WHERE session_id = ? AND status = 'active'`,
        entry.at,
        session_id,
      );
      database.run('DELETE FROM fold_main WHERE session_id = ?', session_id);
      database.run('DELETE FROM fold_call WHERE session_id = ?', session_id);
      database.run('DELETE FROM fold_consumed WHERE session_id = ?', session_id);
    },

    // What a rebuild makes of the erased entries, done to the tables as they are.
    [FORGOTTEN]: (database, { entries }) => {
      for (const { type, data } of entries.flatMap(({ events }) => events)) {
        if (type === 'branch.created') {
          database.run(
            'UPDATE fold_branch SET description = ? WHERE id = ?',
            data.description,
            data.branch_id,
          );
        } else if (type === 'branch.folded' || type === 'branch.returned_late') {
          database.run(
            `UPDATE fold_branch SET summary = ? WHERE id = ? AND summary IS NOT NULL`,
            data.summary,
            data.branch_id,
          );
        }
      }
    },

    'branch.created': (database, branch, { entry }) => {
      database.run(
        `INSERT INTO fold_branch (id, session_id, project_id, parent_id, depth, description, status, agent, tokens,
           operations, secrets, budget, summary_tokens, created_at, created_seq)
         VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, 0, ?, ?, 0, ?, ?)`,
        branch.branch_id,
        branch.session_id,
        branch.project_id,
        branch.parent_id,
        branch.depth,
        branch.description,
        branch.agent ?? null,
        branch.tokens,
        branch.secrets,
        branch.budget,
        entry.at,
        entry.seq,
      );
    },

    'operation.completed': (database, operation, place) => {
      countOperation(database, operation, place);
      const { session_id, call_id, branch_id, consumes, after_fold, shortened_tokens } = operation;
      if (shortened_tokens) addShortened(database, session_id, branch_id, shortened_tokens);
      if (after_fold) addFolded(database, session_id, branch_id, operation.tokens);
      if (call_id !== null) {
        const { entry, index } = place;
        database.run(
          'INSERT INTO fold_call VALUES (?, ?, ?, ?, ?, ?)',
          session_id,
          call_id,
          branch_id ?? '',
          entry.seq,
          index,
          operation.source,
        );
      }
      if (consumes) consume(database, session_id, consumes);
    },

    'operation.recounted': (database, recounted) => {
      const { session_id, branch_id, seq, place, to, tokens, output_tokens } = recounted;
      const before = operationAt(database, session_id, branch_id, seq, place);
      if (!before) return;
      database.run(
        `UPDATE fold_operation SET branch_id = ?, tokens = ?, output_tokens = ?
         WHERE session_id = ? AND branch_id = ? AND seq = ? AND place = ?`,
        to ?? '',
        tokens,
        output_tokens,
        session_id,
        branch_id ?? '',
        seq,
        place,
      );
      database.run(
        'UPDATE fold_call SET branch_id = ?, source = ? WHERE session_id = ? AND call_id = ?',
        to ?? '',
        recounted.source,
        session_id,
        recounted.call_id,
      );
      if (before.handle !== null && isConsumed(database, session_id, before.handle)) {
        addCollapsible(database, session_id, branch_id, -gainOf(before));
        addCollapsible(database, session_id, to, gainOf({ ...before, output_tokens }));
      }
      for (const [branch, change] of [
        [branch_id, -recounted.tokens_before],
        [to, tokens],
      ] as const) {
        addTokens(database, session_id, branch, change);
        addFolded(database, session_id, branch, change);
      }
      if (to !== branch_id) {
        database.run('UPDATE fold_branch SET operations = operations - 1 WHERE id = ?', branch_id);
        database.run('UPDATE fold_branch SET operations = operations + 1 WHERE id = ?', to);
      }
    },

    'operation.collapsed': (database, collapsed) => {
      const { session_id, branch_id, seq, place, tokens, summary_tokens } = collapsed;
      const change = summary_tokens - tokens;
      const operation = operationAt(database, session_id, branch_id, seq, place);
      if (operation?.handle && isConsumed(database, session_id, operation.handle)) {
        addCollapsible(database, session_id, branch_id, -gainOf(operation));
      }
      database.run(
        `UPDATE fold_operation SET collapsed = 1, tokens = tokens + ?
         WHERE session_id = ? AND branch_id = ? AND seq = ? AND place = ?`,
        change,
        session_id,
        branch_id ?? '',
        seq,
        place,
      );
      addTokens(database, session_id, branch_id, change);
      // One that was folded meanwhile took the result along.
      database.run(
        `UPDATE fold_main SET folded_total = folded_total + ?1 WHERE session_id = ?2
           AND EXISTS (SELECT 1 FROM fold_branch WHERE id = ?3 AND status = 'folded')`,
        change,
        session_id,
        branch_id,
      );
    },

    // SUB-13: what a branch's agent says in the branch's context.
    'envelope.accepted': (database, { operation_of, tokens, secrets }, place) => {
      if (operation_of) countOperation(database, { ...operation_of, tokens, secrets }, place);
    },

    'branch.folded': (database, fold, { entry }) => {
      database.run(
        `UPDATE fold_branch SET status = 'folded', ended_at = ?, tokens_folded = ?, summary = ?, summary_tokens = ?,
           secrets = ?, folded_by = ? WHERE id = ?`,
        entry.at,
        fold.tokens_folded,
        fold.summary,
        fold.summary_tokens,
        fold.secrets,
        fold.folded_by,
        fold.branch_id,
      );
      database.run(
        'UPDATE fold_main SET folded_total = folded_total + ?, tokens = tokens + ? WHERE session_id = ?',
        fold.tokens_own,
        fold.parent_id === null ? fold.summary_tokens : 0,
        fold.session_id,
      );
      if (fold.parent_id !== null) addTokens(database, fold.session_id, fold.parent_id, fold.summary_tokens);
      if (fold.consumes) consume(database, fold.session_id, fold.consumes);
    },

    // Its session is over: there are no figures that it could change.
    'branch.returned_late': (database, late) => {
      database.run(
        'UPDATE fold_branch SET summary = ?, summary_tokens = ?, secrets = ? WHERE id = ?',
        late.summary,
        late.summary_tokens,
        late.secrets,
        late.branch_id,
      );
    },

    'branch.rolled_back': (database, rollback, { entry }) => {
      const { session_id, target } = rollback;
      for (const branch of rollback.discarded) {
        takeSummaryBack(database, session_id, branch);
        database.run(
          `UPDATE fold_branch SET status = 'discarded', ended_at = ? WHERE id = ?`,
          entry.at,
          branch.branch_id,
        );
      }
      for (const branch of rollback.reopened) {
        takeSummaryBack(database, session_id, branch);
        database.run(
          `UPDATE fold_branch SET status = 'active', ended_at = NULL, tokens_folded = NULL, summary = NULL,
             summary_tokens = 0, folded_by = NULL WHERE id = ?`,
          branch.branch_id,
        );
      }
      if (rollback.operations_after !== null) {
        database.run(
          'UPDATE fold_operation SET discarded = 1 WHERE session_id = ? AND branch_id = ? AND seq > ?',
          session_id,
          target ?? '',
          rollback.operations_after,
        );
        addTokens(database, session_id, target, -rollback.operations_tokens);
        sumCollapsible(database, session_id, target);
        const { operations_count } = rollback;
        database.run(
          'UPDATE fold_branch SET operations = operations - ? WHERE id = ?',
          operations_count,
          target,
        );
      }
      // Rollbacks are rare and touch many branches: summing up is simpler than keeping each step's balance.
      database.run(
        `UPDATE fold_main SET folded_total = (SELECT coalesce(sum(tokens), 0) FROM fold_branch
           WHERE session_id = ?1 AND status = 'folded') WHERE session_id = ?1`,
        session_id,
      );
    },
  },
};

/** A branch that was folded left its summary in its parent; when the fold is undone the summary goes. */
function takeSummaryBack(database: Database, session: string, branch: RolledBackBranch): void {
  addTokens(database, session, branch.parent_id, -branch.summary_tokens);
}
