import type { EventOf, SessionEvents } from '@infold/protocol/events';

export type { SessionBound, SessionStarted, SessionTold } from '@infold/protocol/events';

export type SessionEvent = EventOf<keyof SessionEvents>;
