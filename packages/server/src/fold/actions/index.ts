import type { Action } from '../../call/action.ts';
import { expand } from './expand.ts';
import { listSessionEntries } from './list-session-entries.ts';
import { listSessions, searchBranches } from './list-sessions.ts';
import { readBranch } from './read-branch.ts';
import { listSessionBranches, readSession } from './read-session.ts';
import { listState, readState } from './read-state.ts';
import { reportOperations } from './report-operations.ts';
import { foldBack } from './return.ts';
import { rollBack } from './roll-back.ts';

/** What is served over HTTP. */
export const foldActions: readonly Action[] = [
  listSessions,
  readSession,
  listSessionBranches,
  listSessionEntries,
  listState,
  readState,
  searchBranches,
  readBranch,
  reportOperations,
  foldBack,
  rollBack,
  expand,
];
