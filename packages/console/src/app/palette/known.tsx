import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AppWindow, Folder, GitFork, Play } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { portableName } from '../../api/tool-name.ts';
import { ago, plural } from '../../design/data/format.ts';
import { useNow } from '../../design/hooks/use-now.ts';
import { Item, PaletteGroup, type Run } from './item.tsx';

const MOST = 20;

/** The conversations and sessions that were used last. */
export function Recent({ run }: { run: Run }) {
  const { api } = useAccount().session;
  const navigate = useNavigate();
  const now = useNow();
  const { data: windows } = useQuery({
    queryKey: ['palette', 'windows'],
    queryFn: ({ signal }) => api.listWindows({ limit: MOST }, { signal }),
  });
  const { data: sessions } = useQuery({
    queryKey: ['palette', 'sessions'],
    queryFn: ({ signal }) => api.listSessions({ limit: MOST }, { signal }),
  });
  return (
    <>
      {windows && windows.windows.length > 0 && (
        <PaletteGroup heading="Conversations">
          {windows.windows.map(({ id, host, model, last_at, totals }) => (
            <Item
              key={id}
              value={`${host ?? ''} ${model ?? ''} ${id}`}
              keywords={['conversation window']}
              icon={<AppWindow aria-hidden />}
              note={`${plural(totals.requests, 'request')}, ${ago(Date.parse(last_at), now)}`}
              onSelect={run(() => navigate({ to: '/window/$conversation', params: { conversation: id } }))}
            >
              {host ?? 'Unnamed host'} · {model ?? id}
            </Item>
          ))}
        </PaletteGroup>
      )}
      {sessions && sessions.sessions.length > 0 && (
        <PaletteGroup heading="Sessions">
          {sessions.sessions.map(({ id, host_id, last_at }) => (
            <Item
              key={id}
              value={`${host_id ?? ''} ${id}`}
              keywords={['session tree']}
              icon={<GitFork aria-hidden />}
              note={ago(Date.parse(last_at), now)}
              onSelect={run(() => navigate({ to: '/tree/$session', params: { session: id } }))}
            >
              {host_id ?? id}
            </Item>
          ))}
        </PaletteGroup>
      )}
    </>
  );
}

/** Each opens its form. */
export function Tools({ run }: { run: Run }) {
  const { status, may } = useAccount();
  const navigate = useNavigate();
  if (!status || !may('read')) return null;
  return (
    <PaletteGroup heading="Run a tool">
      {status.doors.flatMap(({ name: door, tools }) =>
        tools.map((tool) => (
          <Item
            key={tool}
            value={`Run ${tool}`}
            keywords={['tool', door, tool.replaceAll(/[._]/g, ' ')]}
            icon={<Play aria-hidden />}
            note={door}
            onSelect={run(() => navigate({ to: '/conversation', search: { tool: portableName(tool) } }))}
          >
            {tool}
          </Item>
        )),
      )}
    </PaletteGroup>
  );
}

/** Each opens the session that was last at work there. */
export function Projects({ attempt }: { attempt: Run }) {
  const { api } = useAccount().session;
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['system', 'projects'],
    queryFn: ({ signal }) => api.listProjects({}, { signal }),
  });
  if (!data || data.projects.length === 0) return null;
  const open = async (project: string) => {
    const [session] = (await api.listSessions({ project, limit: 1 })).sessions;
    if (session) void navigate({ to: '/tree/$session', params: { session: session.id } });
    else void navigate({ to: '/tree' });
  };
  return (
    <PaletteGroup heading="Projects">
      {data.projects.map(({ id, name, path }) => (
        <Item
          key={id}
          value={`${name} ${id}`}
          keywords={['project', path ?? '']}
          icon={<Folder aria-hidden />}
          note={path ?? 'Its latest session'}
          onSelect={attempt(() => open(id))}
        >
          {name}
        </Item>
      ))}
    </PaletteGroup>
  );
}
