import type { HookCall } from '../hook-call.ts';
import type { HookScene } from '../hook-context.ts';

/** Sees to it that the host's session has begun. What is told late of one that is over begins no other under its name: false. */
export async function hasSession(call: HookCall, scene: HookScene): Promise<boolean> {
  if (scene.findSession()) return true;
  if (call.isLate && scene.lastSession()) return false;
  await scene.beginSession();
  return true;
}
