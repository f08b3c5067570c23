import type { GatewayEvent } from '../gateway/events.ts';
import { FORGOTTEN, type Forgotten } from '../journal/journal.ts';
import { defineProjection, type EventPlace } from '../journal/projector.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { SessionEvent } from '../trust/sessions/events.ts';
import type { FoldEvent, OperationCompleted, RolledBackBranch } from './events.ts';

type ForgottenEvent = { type: typeof FORGOTTEN; data: Forgotten };

/** Adds tokens to a branch, or to the main thread. What is open in all is summed up when it is asked for. */
function addTokens(database: Database, session: string, branch: string | null, tokens: number): void {
  if (tokens === 0) return;
  if (branch === null) {
    database.run('UPDATE fold_main SET tokens = tokens + ? WHERE session_id = ?', tokens, session);
  } else {
    database.run('UPDATE fold_branch SET tokens = tokens + ? WHERE id = ?', tokens, branch);
  }
}

function countOperation(
  database: Database,
  operation: Pick<OperationCompleted, 'session_id' | 'branch_id' | 'tokens' | 'secrets'>,
  { entry, index }: EventPlace,
): void {
  const { session_id, branch_id, tokens } = operation;
  database.run(
    'INSERT INTO fold_operation VALUES (?, ?, ?, ?, ?, 0)',
    session_id,
    branch_id ?? '',
    entry.seq,
    index,
    tokens,
  );
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

export const foldProjection = defineProjection<FoldEvent | SessionEvent | GatewayEvent | ForgottenEvent>({
  name: 'fold',
  tables: `
CREATE TABLE fold_main (
  session_id TEXT PRIMARY KEY,
  tokens INTEGER NOT NULL,
  folded_total INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE fold_branch (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  parent_id TEXT,
  depth INTEGER NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  tokens INTEGER NOT NULL,
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
CREATE INDEX fold_branch_open ON fold_branch (session_id, depth) WHERE status = 'active';
-- Pointers into the journal; the empty branch is the main thread.
CREATE TABLE fold_operation (
  session_id TEXT NOT NULL,
  branch_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  discarded INTEGER NOT NULL,
  PRIMARY KEY (session_id, branch_id, seq, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE fold_call (
  session_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  PRIMARY KEY (session_id, call_id)
) STRICT, WITHOUT ROWID;
`,
  on: {
    'session.started': (database, { session_id }) => {
      database.run('INSERT INTO fold_main VALUES (?, 0, 0)', session_id);
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
    },

    // What a rebuild makes of the erased entries, done to the tables as they are.
    [FORGOTTEN]: (database, { entries }) => {
      for (const { type, data } of entries.flatMap(({ events }) => events) as FoldEvent[]) {
        if (type === 'branch.created') {
          database.run(
            'UPDATE fold_branch SET description = ? WHERE id = ?',
            data.description,
            data.branch_id,
          );
        } else if (type === 'branch.folded') {
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
        `INSERT INTO fold_branch (id, session_id, parent_id, depth, description, status, tokens, operations, secrets,
           budget, summary_tokens, created_at, created_seq) VALUES (?, ?, ?, ?, ?, 'active', ?, 0, ?, ?, 0, ?, ?)`,
        branch.branch_id,
        branch.session_id,
        branch.parent_id,
        branch.depth,
        branch.description,
        branch.tokens,
        branch.secrets,
        branch.budget,
        entry.at,
        entry.seq,
      );
    },

    'operation.completed': (database, operation, place) => {
      countOperation(database, operation, place);
      const { session_id, call_id } = operation;
      if (call_id !== null) database.run('INSERT INTO fold_call VALUES (?, ?)', session_id, call_id);
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
});

/** A branch that was folded left its summary in its parent; when the fold is undone the summary goes. */
function takeSummaryBack(database: Database, session: string, branch: RolledBackBranch): void {
  addTokens(database, session, branch.parent_id, -branch.summary_tokens);
}
