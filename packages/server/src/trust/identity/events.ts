import type { AccessEvents, EventOf, MirrorLevel } from '@infold/protocol/events';

export type {
  AccessDenied,
  KeyRotated,
  MirrorLevel,
  ProjectAdded,
  ProjectConfigured,
  ProjectSettings,
  Scope,
  TokenCreated,
} from '@infold/protocol/events';
export { MIRROR_LEVELS, SCOPES } from '@infold/protocol/events';

/** Earlier versions knew yes and no. */
export function mirrorLevel(setting: boolean | MirrorLevel): MirrorLevel {
  return typeof setting === 'boolean' ? (setting ? 'full' : 'off') : setting;
}

export type AccessEvent = EventOf<keyof AccessEvents>;
