import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useAccount } from '../../api/account.tsx';
import { useEntries } from '../../api/live.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { connectionsQuery, homeQuery, projectsQuery } from '../queries.ts';
import { Connect } from './connect.tsx';
import { Connected } from './connected.tsx';
import { hostsOf } from './hosts.ts';
import { Models } from './models.tsx';

/** What is asked for again because of entries waits this long, however many come. */
const PAUSE = 2000;

export function ConnectionsPage() {
  const { session } = useAccount();
  const { data, error, refetch } = useQuery(connectionsQuery(session));
  const { data: home } = useQuery(homeQuery(session));
  const { data: projects } = useQuery(projectsQuery(session));
  useHeardOf();
  if (error && !data)
    return <Problem what="The connections could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="connections">
        <Skeleton lines={6} height="2rem" />
      </Loading>
    );
  }
  const { connections } = data;
  return (
    <>
      <Connected connections={connections} projects={projects?.projects ?? []} />
      {home && <Connect home={home} hosts={hostsOf(home.connect, connections)} />}
      {home?.models && <Models models={home.models} />}
    </>
  );
}

/** Who writes to the journal was heard of just now. */
function useHeardOf(): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEntries(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: ['system', 'connections'] });
    }, PAUSE);
  });
}
