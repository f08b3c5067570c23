import { useCallback, useMemo, useState } from 'react';
import type { PodMessage } from '../feed/feed.ts';
import { contextKey, type PodRow, rowsOf } from '../model/rows.ts';
import type { Contexts } from '../queries.ts';
import type { PodsSearch } from '../search.ts';
import type { Outgoing } from '../send/outbox.ts';
import { wantedOf } from '../wanted.ts';

interface RowsOptions {
  messages: readonly PodMessage[];
  outgoing: readonly Outgoing[];
  contexts: Contexts;
  search: PodsSearch;
  me: string;
}

export interface PodRows {
  rows: readonly PodRow[];
  toggle(key: string, isOpen: boolean): void;
  toggleAll(isOpen: boolean): void;
}

/** Rows of messages as the address wants them. Contexts that are over begin closed, and stay as somebody left them. */
export function usePodRows({ messages, outgoing, contexts, search, me }: RowsOptions): PodRows {
  const { contexts: which, descendants, kinds, directed, find, flat } = search;
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [usual, setUsual] = useState<boolean>();
  // How each was when it was first seen: one that ends while somebody reads it does not close.
  const [seen] = useState(() => new Map<string, boolean>());
  const wanted = useMemo(
    () => wantedOf({ contexts: which, descendants, kinds, directed }),
    [which, descendants, kinds, directed],
  );
  const isNarrowed = find !== undefined || which?.startsWith('id:') === true || which === 'conclusions';
  const { byId } = contexts;
  const isOpen = useCallback(
    (id: string): boolean => {
      const chosen = opened.get(contextKey(id)) ?? usual;
      if (chosen !== undefined) return chosen;
      if (isNarrowed) return true;
      const known = seen.get(id);
      if (known !== undefined) return known;
      const node = byId.get(id);
      if (node) seen.set(id, node.state !== 'concluded');
      return node?.state !== 'concluded';
    },
    [opened, usual, isNarrowed, seen, byId],
  );
  const rows = useMemo(
    () => rowsOf({ messages, outgoing, contexts: byId, wanted, me, isFlat: flat === true, isOpen }),
    [messages, outgoing, byId, wanted, me, flat, isOpen],
  );
  const toggle = useCallback(
    (key: string, open: boolean) => setOpened((before) => new Map(before).set(key, open)),
    [],
  );
  const toggleAll = useCallback((open: boolean) => {
    setOpened(new Map());
    setUsual(open);
  }, []);
  return { rows, toggle, toggleAll };
}
