import type { Api } from '@infold/client/api';
import type { WindowView } from '@infold/protocol';
import { hasWords, wordsOf } from '../../design/match.ts';

export type MeteredView = Awaited<ReturnType<Api['listSessions']>>['sessions'][number];

/** As long as providers keep what they have read: who asks again within it goes on with the same prompt. */
const LIVE = 5 * 60_000;

export function isLive({ last_at }: Pick<WindowView, 'last_at'>, now: number): boolean {
  return now - Date.parse(last_at) < LIVE;
}

/** What people call it. Neither has a length that anybody promises. */
export function nameOf({ host, model, dialect }: Pick<WindowView, 'host' | 'model' | 'dialect'>): {
  host: string;
  model: string;
} {
  return { host: host ?? 'Unnamed host', model: model ?? dialect };
}

/** Those that have every word in their host, model, session or id. */
export function matching(views: readonly WindowView[], sought: string): readonly WindowView[] {
  const words = wordsOf(sought);
  if (words.length === 0) return views;
  return views.filter(({ id, host, model, host_session, principal }) =>
    hasWords([id, host, model, host_session, principal].join('\n'), words),
  );
}

/** Sessions whose requests do not come by here: all that is known of them is what was called on this server. */
export function unwatched(sessions: readonly MeteredView[], views: readonly WindowView[]): MeteredView[] {
  const watched = new Set(views.map(({ host_session }) => host_session));
  return sessions.filter(({ host_id }) => host_id === null || !watched.has(host_id)).slice(0, MOST);
}

const MOST = 12;
