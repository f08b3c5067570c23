import type { ConnectionView } from '../queries.ts';

/**
 * A key for each, the same whenever it is asked for again. Programs that came twice under one name look alike, and are told
 * apart by their order: rows with the same key would stay on the page for good.
 */
export function keysOf(connections: readonly ConnectionView[]): Map<ConnectionView, string> {
  const alike = new Map<string, number>();
  return new Map(
    connections.map((connection) => {
      const { kind, org, principal, name, version, session_id, conversation, pod } = connection;
      const looks = JSON.stringify([kind, org, principal, name, version, session_id, conversation, pod]);
      const place = alike.get(looks) ?? 0;
      alike.set(looks, place + 1);
      return [connection, `${looks} ${place}`];
    }),
  );
}
