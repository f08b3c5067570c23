import { closeHostSession } from '../../fold/actions/hooked.ts';
import type { Handler } from './handler.ts';

/** The host leaves its session. It may come back to it, so only what nobody can go on with is closed. */
export const sessionEnds: Handler<'session-end'> = async (_call, hook) => {
  await hook.act(closeHostSession, {});
  return {};
};
