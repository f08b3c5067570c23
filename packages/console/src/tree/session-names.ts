import type { Api } from '@infold/client/api';

export type SessionView = Awaited<ReturnType<Api['readSession']>>;

/** What its host calls it, or our id. */
export function nameOfSession({ id, host_id }: Pick<SessionView, 'id' | 'host_id'>): string {
  return host_id ?? id;
}

/** Those whose names hold every word, the live ones first; their order stays otherwise. */
export function matching(
  sessions: readonly SessionView[],
  projects: ReadonlyMap<string, string>,
  wanted: string,
): SessionView[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sessions.filter(({ id, host_id, project_id }) => {
    const names = `${id} ${host_id ?? ''} ${project_id} ${projects.get(project_id) ?? ''}`.toLowerCase();
    return words.every((word) => names.includes(word));
  });
  return [...found.filter(({ live }) => live), ...found.filter(({ live }) => !live)];
}
