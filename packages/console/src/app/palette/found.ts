import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { BookOpenCheck, Brain, FileText, GitBranch, Workflow } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { ago } from '../../design/data/format.ts';
import { useNow } from '../../design/hooks/use-now.ts';
import { links } from '../links.ts';
import type { PaletteEntry } from './entry.ts';
import { sessionEntry } from './known.ts';

/** How long somebody who types must pause before the server is asked. */
const PAUSE = 120;
/** Shorter words find everything. */
const LEAST = 2;
const MOST = 5;

interface Found {
  sessions: PaletteEntry[];
  branches: PaletteEntry[];
  memory: PaletteEntry[];
  library: PaletteEntry[];
  isSearching: boolean;
}

const ICONS = { rule: BookOpenCheck, workflow: Workflow, context: FileText } as const;

/**
 * What the server finds of what cannot all be known here, as far as the caller may read it. A search that is no longer wanted is
 * cancelled. Before anything is typed: what is newest.
 */
export function useFound(sought: string): Found {
  const { api } = useAccount().session;
  const now = useNow();
  const q = usePaused(sought.trim());
  const isNamed = q.length >= LEAST;
  const isEmpty = q === '';
  const common = { placeholderData: keepPreviousData, staleTime: 10_000, retry: false } as const;
  const sessions = useQuery({
    queryKey: ['palette', 'sessions', q],
    queryFn: ({ signal }) => api.listSessions({ q, limit: MOST }, { signal }),
    enabled: isNamed,
    ...common,
  });
  const branches = useQuery({
    queryKey: ['palette', 'branches', q],
    queryFn: ({ signal }) => api.searchBranches({ q, limit: MOST }, { signal }),
    enabled: isNamed || isEmpty,
    ...common,
  });
  const memory = useQuery({
    queryKey: ['palette', 'memory', q],
    queryFn: ({ signal }) => api.searchMemory({ q, limit: MOST }, { signal }),
    enabled: isNamed,
    ...common,
  });
  const library = useQuery({
    queryKey: ['palette', 'library', q],
    queryFn: ({ signal }) => api.searchLibraries({ q, limit: MOST }, { signal }),
    enabled: isNamed || isEmpty,
    ...common,
  });
  // What was found for other words counts only by its name, until there is more.
  const isFound = ({ isPlaceholderData }: { isPlaceholderData: boolean }) =>
    q === sought.trim() && isNamed && !isPlaceholderData;
  return {
    sessions: (sessions.data?.sessions ?? []).map(({ id, host_id, last_at }) => ({
      ...sessionEntry(id, host_id, ago(Date.parse(last_at), now)),
      isFound: isFound(sessions),
    })),
    branches: (branches.data?.branches ?? []).map(({ id, session_id, description, status }) => ({
      ...{
        value: `branch ${id}`,
        name: description,
        icon: GitBranch,
        note: status,
        keywords: [id, 'branch'],
      },
      ...{ href: links.branch(session_id, id), isFound: isFound(branches) },
    })),
    memory: (memory.data?.items ?? []).map(({ id, name, kind }) => ({
      ...{ value: `memory ${id}`, name, icon: Brain, note: kind, keywords: ['memory'] },
      ...{ href: links.memoryItem(id), isFound: isFound(memory) },
    })),
    library: (library.data?.items ?? []).map(({ id, path, kind, project, project_id, description }) => ({
      ...{ value: `file ${project_id} ${id}`, name: path, icon: ICONS[kind] ?? FileText },
      ...{ note: `${kind}, ${project}`, keywords: [kind, description ?? ''] },
      ...{ href: links.libraryFile(project_id, id), isFound: isFound(library) },
    })),
    isSearching:
      q !== sought.trim() || [sessions, branches, memory, library].some(({ isFetching }) => isFetching),
  };
}

/** A text once it has not changed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
