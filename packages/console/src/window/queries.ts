import type { JournalEntry, WindowDecisionView, WindowTurnView, WindowView } from '@infold/protocol';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api/account.tsx';
import { heardDuring } from './live/hearing.ts';
import { applyToDecisions, applyToTurns, applyToWindow, applyToWindows } from './live/reduce.ts';

/** What is asked of the server for this view. Entries of the journal change it afterwards (`live.ts`). */
export const KEYS = {
  all: ['window'],
  lists: ['window', 'list'],
  list: (pages: number) => ['window', 'list', pages],
  /** By what the address calls it: the beginning of an id, or the host's name for it. */
  names: ['window', 'named'],
  named: (name: string) => ['window', 'named', name],
  turns: (id: string) => ['window', 'of', id, 'turns'],
  decisions: (id: string) => ['window', 'of', id, 'decisions'],
  prompt: (id: string) => ['window', 'of', id, 'prompt'],
  block: (id: string, turn: number, block: number) => ['window', 'of', id, 'block', turn, block],
  receipt: (id: string) => ['window', 'of', id, 'receipt'],
  original: (handle: string) => ['window', 'original', handle],
  sessions: ['window', 'sessions'],
} as const;

const PAGE = 200;

export interface WindowList {
  windows: WindowView[];
  /** There are older ones. */
  hasMore: boolean;
}

export function useWindows(pages: number) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.list(pages),
    queryFn: ({ signal }) =>
      heardDuring(async (): Promise<WindowList> => {
        const windows: WindowView[] = [];
        let next: string | null | undefined;
        for (let page = 0; page < pages && next !== null; page++) {
          const answer = await api.listWindows({ limit: PAGE, ...(next && { cursor: next }) }, { signal });
          windows.push(...answer.windows);
          next = answer.next;
        }
        return { windows, hasMore: typeof next === 'string' };
      }, applyToList),
    placeholderData: keepPreviousData,
  });
}

export function applyToList(list: WindowList, entry: JournalEntry): WindowList {
  const windows = applyToWindows(list.windows, entry);
  return windows === list.windows ? list : { ...list, windows };
}

export function useWindow(name: string, isWanted = true) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.named(name),
    queryFn: ({ signal }) => heardDuring(() => api.readWindow({ id: name }, { signal }), applyToNamed),
    enabled: isWanted,
  });
}

export function applyToNamed(view: WindowView, entry: JournalEntry): WindowView {
  const { conversation } = (entry.events[0]?.data ?? {}) as { conversation?: string };
  return conversation === view.id ? applyToWindow(view, entry)! : view;
}

export function useTurns(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.turns(id),
    queryFn: ({ signal }) =>
      heardDuring(
        () => allOf<WindowTurnView>(api.listWindowTurns.all({ id, limit: PAGE }, { signal })),
        (turns, entry) => applyToTurns(turns, id, entry),
      ),
  });
}

export function useDecisions(id: string, forkedFrom: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.decisions(id),
    queryFn: ({ signal }) =>
      heardDuring(
        () => allOf<WindowDecisionView>(api.listWindowDecisions.all({ id, limit: 500 }, { signal })),
        (decisions, entry) =>
          applyToDecisions(decisions, new Set(forkedFrom ? [id, forkedFrom] : [id]), entry),
      ),
  });
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function usePrompt(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.prompt(id),
    queryFn: ({ signal }) => api.readWindowPrompt({ id }, { signal }),
  });
}

export function useBlock(id: string, turn: number, block: number) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.block(id, turn, block),
    queryFn: ({ signal }) => api.readWindowBlock({ id, block }, { signal }),
  });
}

export function useReceipt(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.receipt(id),
    queryFn: ({ signal }) => api.readWindowReceipt({ id }, { signal }),
    // It is a statement of now.
    staleTime: 0,
  });
}

/** Turns the window off or on. What the answer says is shown at once; the journal tells it, too. */
export function useSwitchWindow(id: string) {
  const api = useApi();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const turn = async (isOn: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const { enabled } = await api.switchWindow({ id, enabled: isOn });
      const change = (view: WindowView) => (view.id === id ? { ...view, enabled } : view);
      client.setQueriesData<WindowView>({ queryKey: KEYS.names }, (view) => view && change(view));
      client.setQueriesData<WindowList>(
        { queryKey: KEYS.lists },
        (list) => list && { ...list, windows: list.windows.map(change) },
      );
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return { turn, isBusy, error };
}

export function useSessions(isWanted: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: KEYS.sessions,
    queryFn: ({ signal }) => api.listSessions({ limit: 50 }, { signal }),
    enabled: isWanted,
  });
}
