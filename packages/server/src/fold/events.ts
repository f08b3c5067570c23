import type { EventOf, FoldEvents } from '@infold/protocol/events';

export type {
  BranchCreated,
  BranchFolded,
  BranchReturnedLate,
  OperationCollapsed,
  OperationCompleted,
  OperationRecounted,
  OperationSource,
  RolledBack,
  RolledBackBranch,
} from '@infold/protocol/events';

export { OPERATION_SOURCES } from '@infold/protocol/events';

export type FoldEvent = EventOf<keyof FoldEvents>;
