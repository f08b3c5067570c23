import type { Api } from '@infold/client/api';

export type SessionView = Awaited<ReturnType<Api['readSession']>>;

/** What is known of ids that are no words: projects, and the clients of sessions. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  clients: ReadonlyMap<string, string>;
}

/** What its host calls it, what its client calls itself, or our id. */
export function nameOfSession(
  { id, host_id }: Pick<SessionView, 'id' | 'host_id'>,
  { clients }: Pick<Names, 'clients'>,
): string {
  return host_id ?? clients.get(id) ?? id;
}

/** Those whose names hold every word, the live ones first; their order stays otherwise. */
export function matching(
  sessions: readonly SessionView[],
  { projects, clients }: Names,
  wanted: string,
): SessionView[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sessions.filter(({ id, host_id, project_id }) => {
    const names = [id, host_id, clients.get(id), project_id, projects.get(project_id)]
      .join(' ')
      .toLowerCase();
    return words.every((word) => names.includes(word));
  });
  return [...found.filter(({ live }) => live), ...found.filter(({ live }) => !live)];
}
