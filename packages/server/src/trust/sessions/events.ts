import type { EventOf, SessionEvents } from '@infold/protocol/events';

export type { SessionStarted } from '@infold/protocol/events';

export type SessionEvent = EventOf<keyof SessionEvents>;
