/** Where in the console an item came from can be looked at. */
export type Origin =
  | { kind: 'branch'; session: string; branch: string }
  | { kind: 'session'; session: string }
  | { kind: 'pod'; pod: string };

interface Sourced {
  source: string | null;
  metadata: Record<string, unknown>;
}

/** Read from the item's source; undefined for what comes from elsewhere, and for what the reader is not shown. */
export function originOf({ source, metadata }: Sourced): Origin | undefined {
  const [, kind, id] = /^infold:\/\/(branch|session|pod)\/([^/]+)/.exec(source ?? '') ?? [];
  const session = typeof metadata.session_id === 'string' ? metadata.session_id : undefined;
  if (kind === 'branch' && session !== undefined) return { kind, session, branch: id! };
  if (kind === 'session') return { kind, session: id! };
  if (kind === 'pod') return { kind, pod: id! };
  return session === undefined ? undefined : { kind: 'session', session };
}
