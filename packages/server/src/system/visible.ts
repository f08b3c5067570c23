import type { Visibility } from '../call/visible.ts';

/** Tokens, projects and denials, for who administers the organisation. Nobody is told what a token hashes to. */
export const visibleOfAccess: Visibility = ({ events, actor }, caller) => ({
  named: true,
  events:
    actor.org === caller.org && caller.scopes.includes('admin')
      ? events.map(({ type, data }) => {
          if (type !== 'token.created') return { type, data };
          const { hash: _, ...told } = data;
          return { type, data: told };
        })
      : [],
});
