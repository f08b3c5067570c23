import type { HookCall } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';

/** Sees to it that the host's session has begun. What is told late of one that is over begins no other under its name: false. */
export async function hasSession(call: HookCall, hook: HookContext): Promise<boolean> {
  if (hook.findSession()) return true;
  if (call.isLate && hook.lastSession()) return false;
  await hook.beginSession();
  return true;
}
