import type { JournalEntry } from '@infold/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { useAccount } from './account.tsx';
import { Batches } from './batches.ts';

/** `waiting`: the connection broke, and is tried again. */
export type LiveState = 'connecting' | 'open' | 'waiting';

export type EntriesHandler = (entries: readonly JournalEntry[]) => void;

interface Live {
  state: LiveState;
  subscribe(handler: EntriesHandler): () => void;
}

const LiveContext = createContext<Live | undefined>(undefined);

/** The journal as it grows: one stream for the page, whatever it shows. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { session, status } = useAccount();
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const handlers = useRef(new Set<EntriesHandler>());
  const isKnown = status !== undefined;
  useEffect(() => {
    if (!isKnown) return;
    const ending = new AbortController();
    const batches = new Batches<JournalEntry>((entries) => {
      for (const handler of handlers.current) handler(entries);
    });
    const follow = async () => {
      let wasBroken = false;
      const onState = (next: 'open' | 'waiting') => {
        setState(next);
        // What failed meanwhile, or what the journal does not tell, is asked for again.
        if (next === 'open' && wasBroken) void client.invalidateQueries();
        wasBroken = next === 'waiting';
      };
      const options = { signal: ending.signal, onState };
      for await (const entry of session.api.events({ brief: true }, options)) batches.add(entry);
    };
    follow().catch(() => setState('waiting'));
    return () => {
      ending.abort();
      batches.stop();
    };
  }, [session, isKnown, client]);
  const live = useMemo<Live>(
    () => ({
      state,
      subscribe(handler) {
        handlers.current.add(handler);
        return () => handlers.current.delete(handler);
      },
    }),
    [state],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

function useLive(): Live {
  const live = use(LiveContext);
  if (!live) throw new Error('useLive needs a LiveProvider around it');
  return live;
}

export function useLiveState(): LiveState {
  return useLive().state;
}

/** Entries of the journal as they come, in order, each once; the handler of the last render gets them. */
export function useEntries(handler: EntriesHandler): void {
  const { subscribe } = useLive();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => subscribe((entries) => latest.current(entries)), [subscribe]);
}
