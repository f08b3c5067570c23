import { ApiError } from '@infold/client/api';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../api/account.tsx';
import type { Session } from '../../api/session.ts';
import { type Reading, readingOf, withReading } from './history.ts';

/** Milliseconds; only while somebody looks, since each reading costs the server some. */
const EVERY = 5000;
/** Rates need two. */
const SECOND = 1000;

interface Read {
  text: string;
  history: Reading[];
}

async function readMetrics({ fetch }: Session, signal: AbortSignal): Promise<string> {
  const response = await fetch('/metrics', { signal });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
  return response.text();
}

/** The figures as they are read again and again, and the text of the last time. */
export function useReadings() {
  const { session } = useAccount();
  const { data, error, refetch } = useQuery({
    queryKey: ['system', 'metrics'],
    queryFn: async ({ signal, client, queryKey }): Promise<Read> => {
      const text = await readMetrics(session, signal);
      const before = client.getQueryData<Read>(queryKey)?.history ?? [];
      return { text, history: withReading(before, readingOf(text, Date.now())) };
    },
    refetchInterval: ({ state: { data } }) => ((data?.history.length ?? 0) < 2 ? SECOND : EVERY),
    staleTime: 0,
  });
  return { history: data?.history ?? [], text: data?.text, error, refetch };
}
