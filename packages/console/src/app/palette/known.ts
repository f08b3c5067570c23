import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AppWindow, Folder, GitFork, Play, Radio, SlidersHorizontal, Table2, Workflow } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { portableName } from '../../api/tool-name.ts';
import { ago, count, plural } from '../../design/data/format.ts';
import { useNow } from '../../design/hooks/use-now.ts';
import { sourcesQuery, workflowsQuery } from '../../records/queries.ts';
import { PAGES } from '../../system/pages.ts';
import { configQuery, limitsQuery, projectsQuery } from '../../system/queries.ts';
import { links } from '../links.ts';
import { PLACES } from '../places.ts';
import type { Run } from './commands.ts';
import type { PaletteEntry, PaletteGroup } from './entry.ts';

const FEW = 3;

/** Views, and the pages of the system that one may see. */
export function usePlaces(): PaletteGroup {
  const { may } = useAccount();
  return {
    heading: 'Go to',
    entries: [
      ...PLACES.map(
        ({ to, name, about, icon, key }): PaletteEntry => ({
          ...{ value: `place ${to}`, name, icon, note: about },
          ...{ keys: `g ${key}`, href: to },
        }),
      ),
      {
        ...{ value: 'place workflows', name: 'Workflows', icon: Workflow },
        ...{ note: 'What agents do step by step', href: '/records/workflows' },
      },
      ...PAGES.filter(({ needs }) => may(needs)).map(
        ({ id, name, about, icon }): PaletteEntry => ({
          ...{ value: `system ${id}`, name: `System: ${name}`, icon, note: about },
          ...{ keywords: [about], href: links.systemPage(id) },
        }),
      ),
    ],
    atOnce: PLACES.length,
    most: 8,
  };
}

/** How many of those that were used last are known without asking for a name. */
const LAST = 20;

export interface Dated extends PaletteEntry {
  at: string;
}

/** Conversations and sessions, the last used first. */
export function useRecent(): { conversations: Dated[]; sessions: Dated[] } {
  const { api } = useAccount().session;
  const now = useNow();
  const { data: windows } = useQuery({
    queryKey: ['palette', 'windows'],
    queryFn: ({ signal }) => api.listWindows({ limit: LAST }, { signal }),
  });
  const { data: sessions } = useQuery({
    queryKey: ['palette', 'sessions'],
    queryFn: ({ signal }) => api.listSessions({ limit: LAST }, { signal }),
  });
  return {
    conversations: (windows?.windows ?? []).map(({ id, host, model, last_at, totals }) => ({
      ...{ value: `window ${id}`, name: `${host ?? 'Unnamed host'} · ${model ?? id}`, icon: AppWindow },
      ...{ keywords: [id, 'conversation window'], href: links.conversation(id), at: last_at },
      note: `${plural(totals.requests, 'request')}, ${ago(Date.parse(last_at), now)}`,
    })),
    sessions: (sessions?.sessions ?? []).map(({ id, host_id, last_at }) => ({
      ...sessionEntry(id, host_id, ago(Date.parse(last_at), now)),
      at: last_at,
    })),
  };
}

export function sessionEntry(id: string, name: string | null, note: string): PaletteEntry {
  return {
    ...{ value: `session ${id}`, name: name ?? id, icon: GitFork, note },
    ...{ keywords: [id, 'session tree'], href: links.session(id) },
  };
}

/** Each opens the session that was last at work there. */
export function useProjects(attempt: Run): PaletteGroup {
  const { session } = useAccount();
  const navigate = useNavigate();
  const { data } = useQuery(projectsQuery(session));
  const open = async (project: string) => {
    const [latest] = (await session.api.listSessions({ project, limit: 1 })).sessions;
    void navigate({ href: latest ? links.session(latest.id) : '/tree' });
  };
  const entries = (data?.projects ?? []).map(
    ({ id, name, path }): PaletteEntry => ({
      ...{ value: `project ${id}`, name, icon: Folder, note: path ?? 'Its latest session' },
      ...{ keywords: ['project', id, path ?? ''], act: attempt(() => open(id)) },
    }),
  );
  return { heading: 'Projects', entries, atOnce: FEW };
}

/** Each opens its form. */
export function useTools(): PaletteGroup {
  const { status, may } = useAccount();
  const doors = may('read') ? (status?.doors ?? []) : [];
  const entries = doors.flatMap(({ name: door, tools }) =>
    tools.map(
      (tool): PaletteEntry => ({
        ...{ value: `tool ${tool}`, name: tool, icon: Play, note: door },
        ...{
          keywords: ['run tool', door, tool.replaceAll(/[._]/g, ' ')],
          href: links.tool(portableName(tool)),
        },
      }),
    ),
  );
  return { heading: 'Run a tool', entries, atOnce: 0 };
}

/** What there are few enough of to be known all at once. */
export function useThings(): PaletteGroup[] {
  const { session } = useAccount();
  const { data: pods } = useQuery({
    queryKey: ['palette', 'pods'],
    queryFn: ({ signal }) => session.api.listPods({}, { signal }),
  });
  const { data: sources } = useQuery({ ...sourcesQuery(session), refetchInterval: false, staleTime: 30_000 });
  const { data: workflows } = useQuery(workflowsQuery(session));
  const { data: projects } = useQuery(projectsQuery(session));
  const nameOf = new Map(projects?.projects.map(({ id, name }) => [id, name]));
  return [
    {
      heading: 'Workflows',
      entries: (workflows?.workflows ?? []).map((one) => ({
        ...{ value: `workflow ${one.project_id} ${one.id}`, name: one.title, icon: Workflow },
        note: `${plural(one.total_steps, 'step')}, ${one.project}`,
        keywords: ['workflow', one.name, one.path, ...one.tags],
        href: links.workflow(one.project_id, one.id),
      })),
      atOnce: FEW,
    },
    {
      heading: 'Records',
      entries: (sources?.sources ?? []).map(({ model, type, records, columns }) => ({
        ...{ value: `source ${model}`, name: model, icon: Table2, href: links.source(model) },
        note: records === null ? type : `${type}, ${plural(records, 'record')}`,
        keywords: ['records source table', type, ...columns.map(({ name }) => name)],
      })),
      atOnce: FEW,
    },
    {
      heading: 'Pods',
      // A project's pod is named by its id; people know it by the project.
      entries: (pods?.pods ?? []).map(({ name }) => ({
        ...{ value: `pod ${name}`, name: nameOf.get(name) ?? name, icon: Radio, href: links.pod(name) },
        keywords: ['pod', name],
      })),
      atOnce: FEW,
    },
  ];
}

/** Settings of the page, and of the server as far as one may see them; those are asked for once somebody types. */
export function useSettingsByName(isTyping: boolean): PaletteGroup {
  const { session, may } = useAccount();
  const { data: limits } = useQuery({ ...limitsQuery(session), enabled: isTyping && may('read') });
  const { data: config } = useQuery({ ...configQuery(session), enabled: isTyping && may('admin') });
  const values = Object.entries(config?.values ?? {}).filter(([name]) => !name.startsWith('limits.'));
  const entries: PaletteEntry[] = [
    ...OWN.map(([name, words]) => ({
      ...{ value: `setting ${name}`, name: `Settings: ${name}`, icon: SlidersHorizontal },
      ...{ keywords: [words], note: 'Of this page', href: '/settings' },
    })),
    ...(limits?.limits ?? []).map(({ name, value, environment }) => ({
      ...{ value: `limit ${name}`, name, icon: SlidersHorizontal, note: `limit, ${count(value)}` },
      ...{ keywords: ['limit setting', environment], href: links.systemPage('limits', { find: name }) },
    })),
    ...values.map(([name, { environment, origin }]) => ({
      ...{ value: `config ${name}`, name, icon: SlidersHorizontal, note: `configuration, ${origin}` },
      keywords: ['configuration setting', environment],
      href: links.systemPage('configuration', { find: name }),
    })),
  ];
  return { heading: 'Settings', entries, atOnce: 0, most: FEW };
}

const OWN = [
  ['Theme', 'light dark display look colours'],
  ['Context hints', 'transient consumed collapsed display'],
  ['Model', 'provider key chat'],
] as const;
