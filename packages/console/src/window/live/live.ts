import type { JournalEntry, WindowDecisionView, WindowTurnView, WindowView } from '@infold/protocol';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useEntries, useLiveState } from '../../api/live.tsx';
import { applyToList, applyToNamed, KEYS, type WindowList } from '../queries.ts';
import { hear } from './hearing.ts';
import { applyToDecisions, applyToTurns, conversationOf, isOfWindow, lineOf } from './reduce.ts';
import { Throttle } from './throttle.ts';

/** What entries do not tell is asked for again, at most so often. */
const PAUSE = 1000;
/** Of what stands at the side. */
const LONG_PAUSE = 15_000;

interface Watched {
  /** The conversation that is shown. */
  chosen: string | undefined;
  /** Sessions are what is shown, and not only named beside it. */
  showsSessions: boolean;
}

/** Applies what happens to what is held, and asks again for the little that entries do not tell. */
export function useLiveWindows({ chosen, showsSessions }: Watched): void {
  const client = useQueryClient();
  const prompt = useMemo(
    () => new Throttle(() => chosen && client.invalidateQueries({ queryKey: KEYS.prompt(chosen) }), PAUSE),
    [client, chosen],
  );
  const sessions = useMemo(
    () =>
      new Throttle(
        () => client.invalidateQueries({ queryKey: KEYS.sessions }),
        showsSessions ? PAUSE : LONG_PAUSE,
      ),
    [client, showsSessions],
  );
  useEffect(() => () => prompt.stop(), [prompt]);
  useEffect(() => () => sessions.stop(), [sessions]);
  useCatchingUp(client);
  // While another view is open nobody applies anything.
  useEffect(() => () => void client.invalidateQueries({ queryKey: KEYS.all, refetchType: 'none' }), [client]);
  useEntries((entries) => {
    const ours = entries.filter(isOfWindow);
    if (entries.some(({ kind }) => kind === 'session')) sessions.ask();
    if (entries.some(({ events }) => events.some(({ type }) => type === 'data.forgotten'))) {
      void client.invalidateQueries({ queryKey: KEYS.all });
    }
    if (ours.length === 0) return;
    hear(ours);
    applyEntries(client, ours, chosen);
    if (ours.some((entry) => conversationOf(entry) === chosen)) prompt.ask();
  });
}

function applyEntries(
  client: QueryClient,
  entries: readonly JournalEntry[],
  chosen: string | undefined,
): void {
  client.setQueriesData<WindowList>(
    { queryKey: KEYS.lists },
    (list) => list && entries.reduce(applyToList, list),
  );
  client.setQueriesData<WindowView>(
    { queryKey: KEYS.names },
    (view) => view && entries.reduce(applyToNamed, view),
  );
  // Of others nothing is shown: they are asked for when somebody goes there.
  for (const id of new Set(entries.map(conversationOf))) {
    if (id === undefined || id === chosen) continue;
    client.removeQueries({ queryKey: ['window', 'of', id], type: 'inactive' });
  }
  if (!chosen) return;
  client.setQueryData<WindowTurnView[]>(
    KEYS.turns(chosen),
    (turns) => turns && entries.reduce((all, entry) => applyToTurns(all, chosen, entry), turns),
  );
  const views = client
    .getQueriesData<WindowList>({ queryKey: KEYS.lists })
    .flatMap(([, list]) => list?.windows ?? []);
  const line = lineOf(chosen, views);
  client.setQueryData<WindowDecisionView[]>(
    KEYS.decisions(chosen),
    (decisions) => decisions && entries.reduce((all, entry) => applyToDecisions(all, line, entry), decisions),
  );
}

/** What happened before the stream was open, nobody told: what was asked for before then is asked for again. */
function useCatchingUp(client: QueryClient): void {
  const state = useLiveState();
  const wasOpen = useRef(state === 'open');
  useEffect(() => {
    if (state === 'open' && !wasOpen.current) void client.invalidateQueries({ queryKey: KEYS.all });
    wasOpen.current = state === 'open';
  }, [state, client]);
}
