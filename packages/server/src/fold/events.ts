import type { EventOf, FoldEvents } from '@infold/protocol/events';

export type {
  BranchCreated,
  BranchFolded,
  BranchReturnedLate,
  OperationCollapsed,
  OperationCompleted,
  RolledBack,
  RolledBackBranch,
} from '@infold/protocol/events';

export type FoldEvent = EventOf<keyof FoldEvents>;
