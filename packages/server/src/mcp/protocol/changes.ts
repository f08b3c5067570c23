import type { Server, ServerEvent } from '@modelcontextprotocol/server';
import { readContext } from '../../call/perform.ts';
import type { McpServices } from '../tools/call.ts';
import type { Exchange } from './exchange.ts';

/** Tells what entries of the journal change for a caller, as they come; returns the way to stop. */
export function followChanges(
  services: McpServices,
  exchange: Exchange,
  tell: (event: ServerEvent) => void,
): () => void {
  const { journal, resources, prompts = [], registry } = services;
  // Made anew each time: the project may have been registered since.
  const contextOf = () => readContext(services, exchange, new AbortController().signal);
  const stopWatching = journal.watch((entry) => {
    for (const uri of resources.changedBy(entry)) tell({ kind: 'resource_updated', uri });
    if (resources.relistedBy(entry, contextOf)) tell({ kind: 'resources_list_changed' });
    if (
      prompts.some(
        (source) => entry.stream.startsWith(source.streams) && source.relistedBy?.(entry, contextOf),
      )
    )
      tell({ kind: 'prompts_list_changed' });
  });
  const stopListening = registry.onChange(() => tell({ kind: 'tools_list_changed' }));
  return () => {
    stopWatching();
    stopListening();
  };
}

/** Passes changes on to the client of one protocol instance, for as long as it lives. */
export function announceChanges(
  server: Server,
  services: McpServices,
  exchange: Exchange,
  { isWatched, fromTheStart }: { isWatched: (uri: string) => boolean; fromTheStart: boolean },
): void {
  let stop: (() => void) | undefined;
  const send = (event: ServerEvent): Promise<void> => {
    switch (event.kind) {
      case 'resource_updated':
        return isWatched(event.uri) ? server.sendResourceUpdated({ uri: event.uri }) : Promise.resolve();
      case 'resources_list_changed':
        return server.sendResourceListChanged();
      case 'prompts_list_changed':
        return server.sendPromptListChanged();
      case 'tools_list_changed':
        return server.sendToolListChanged();
    }
  };
  const follow = () => {
    // A client that went away is told nothing more.
    stop ??= followChanges(services, exchange, (event) => void send(event).catch(() => {}));
  };
  if (fromTheStart) follow();
  else server.oninitialized = follow;
  const closed = server.onclose;
  server.onclose = () => {
    stop?.();
    closed?.();
  };
}
