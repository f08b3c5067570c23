import { closeHostSession } from '../../fold/actions/hooked.ts';
import type { Handler } from '../handlers.ts';

/** The host leaves its session. It may come back to it, so only what nobody can go on with is closed. */
export const sessionEnds: Handler<'session-end'> = async (_call, scene) => {
  await scene.act(closeHostSession, {});
  return {};
};
