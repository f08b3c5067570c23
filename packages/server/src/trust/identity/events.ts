import type { AccessEvents, EventOf } from '@infold/protocol/events';

export type {
  AccessDenied,
  KeyRotated,
  MirrorLevel,
  ProjectAdded,
  ProjectConfigured,
  ProjectLinked,
  ProjectSettings,
  Scope,
  TokenCreated,
} from '@infold/protocol/events';
export { MIRROR_LEVELS, mirrorLevel, SCOPES } from '@infold/protocol/events';

export type AccessEvent = EventOf<keyof AccessEvents>;
