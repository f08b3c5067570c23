import type { EventOf, WindowEvents } from '@infold/protocol/events';

export type {
  WindowAnswered,
  WindowAsked,
  WindowCollapsed,
  WindowGone,
  WindowHeld,
  WindowOpened,
  WindowUsage,
} from '@infold/protocol/events';

export type WindowEvent = EventOf<keyof WindowEvents>;
