import type { EventKind, EventOf, HookAnswer, HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';

/** What one kind of event does. What it throws is logged, and the host hears nothing. */
export type Handler<Kind extends EventKind> = (
  call: HookCall<EventOf<Kind>>,
  hook: HookContext,
) => Promise<HookAnswer>;
