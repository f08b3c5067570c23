import { toolUseOf } from '@infold/client/window';
import { aboutOf } from '../call/brief-events.ts';
import { recentOperations } from '../fold/trajectory/recent-operations.ts';
import { isLocalOwner } from '../trust/identity/caller.ts';
import { withinFolder } from '../trust/identity/projects.ts';
import { hostOf, type Session } from '../trust/sessions/queries.ts';
import type { HookContext } from './hook-context.ts';
import { lastCalls } from './transcript.ts';

const MOST_OPERATIONS = 300;
const HANDLE = /context_expand \{"handle":"([\w-]{1,128})"\}/g;

export interface FileInWork {
  /** Within the session's folder where it is there. */
  path: string;
  isChanged: boolean;
}

/** What a session has in hand: files that it read or changed, and results that left its window. */
export interface WorkInHand {
  /** The changed ones first, and of each kind the last used first. */
  files: FileInWork[];
  handles: { handle: string; tool: string; about: string | undefined }[];
}

/** From the journal, which knows what hooks and tools told it, and from what the host wrote down itself. */
export async function workInHand({ services, caller }: HookContext, session: Session): Promise<WorkInHand> {
  const { journal } = services;
  const host = hostOf(journal.database, session.id);
  const operations = recentOperations(journal, session.id, MOST_OPERATIONS);
  const written = host?.transcript && isLocalOwner(caller) ? await lastCalls(host.transcript) : [];
  const files = new Map<string, FileInWork>();
  for (const { tool, input } of [...written, ...operations]) {
    const use = toolUseOf(tool, input);
    if (use?.kind !== 'read' && use?.kind !== 'write' && use?.kind !== 'edit') continue;
    const others = use.kind === 'edit' ? (use.others ?? []) : [];
    for (const file of [use.file, ...others]) {
      const path = withinFolder(host?.folder, file);
      const known = files.get(path);
      const isChanged = use.kind !== 'read' || known?.isChanged === true;
      files.set(path, { path, isChanged });
    }
  }
  const handles: WorkInHand['handles'] = [];
  for (const { tool, handle, input, output } of operations) {
    const named = typeof output === 'string' ? [...output.matchAll(HANDLE)].map(([, name]) => name) : [];
    for (const each of [handle, ...named]) {
      const isNew = each !== undefined && !handles.some((known) => known.handle === each);
      if (isNew) handles.push({ handle: each, tool, about: aboutOf(input) });
    }
  }
  return {
    files: [...files.values()].sort((one, other) => Number(other.isChanged) - Number(one.isChanged)),
    handles,
  };
}
