import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '@infold/protocol';
import type { HostFile, SettingsEntry, Value, WholeFile } from '../../install/installable.ts';
import { type Ours, programOf } from '../our-program.ts';
import { eventsOf, type HostEvent } from './hook-events.ts';
import { quoted } from './shell-quote.ts';

/** Seconds. A hook gives up by itself long before. */
export const PATIENCE = 5;

/** What hosts run all the time. Out of a cache it is copied, as that would be gone some day, and npx takes a second. */
function hookProgram(host: HostName, { root, isCached, data }: Ours): string {
  return isCached ? join(data, 'hosts', host, 'hook.mjs') : join(root, 'bin', 'hook.mjs');
}

/** How a status line is printed, in words for a shell. */
export function statusLineCommand(host: HostName, ours: Ours): string {
  const words = ours.isCached
    ? [ours.node, statusLineCopy(host, ours), ...ours.dataFlags]
    : programOf(ours, 'statusline', ...ours.dataFlags);
  return words.map(quoted).join(' ');
}

export function isOurStatusLine(command: unknown): boolean {
  return /infold(\.mjs)?['"]? statusline|infold-statusline\.mjs/.test(String(command));
}

function statusLineCopy(host: HostName, { data }: Ours): string {
  return join(data, 'hosts', host, 'infold-statusline.mjs');
}

/** What a host runs at an event. Whatever becomes of it, the host sees success. */
export function hookCommand(host: HostName, event: string, ours: Ours): string {
  const words = [ours.node, hookProgram(host, ours), host, event, ...ours.dataFlags];
  if (ours.isWindows) return words.map((word) => `"${word.replaceAll('\\', '/')}"`).join(' ');
  return `${words.map(quoted).join(' ')} 2>/dev/null || true`;
}

/** Files that hooks need besides what is written into the host's own. */
export function hookFiles(host: HostName, ours: Ours): WholeFile[] {
  if (!ours.isCached) return [];
  return [copyOf('hook.mjs', hookProgram(host, ours), ours)];
}

export function statusLineFiles(host: HostName, ours: Ours): WholeFile[] {
  return ours.isCached ? [copyOf('statusline.mjs', statusLineCopy(host, ours), ours)] : [];
}

function copyOf(program: string, path: string, { root }: Ours): WholeFile {
  const text = readFileSync(join(root, 'bin', program), 'utf8');
  return { kind: 'whole', path, text, isOurs: () => true };
}

/** Whether a handler is ours, of this version or another, for this host and event. */
function isOurHandler(handler: unknown, host: HostName, event: string): boolean {
  const { command, bash, url } = (handler ?? {}) as Record<string, unknown>;
  if (typeof url === 'string') return url.endsWith(`/hooks/${host}`);
  const line = command ?? bash;
  if (typeof line !== 'string') return false;
  const words = line.replaceAll(/['"]/g, '');
  return new RegExp(`(^|[\\\\/ ])(hook\\.mjs|infold(\\.mjs)? hook) ${host} ${event}( |$)`).test(words);
}

/** What one host's files want for a hook, beside the command. */
export interface HookShape {
  /** What is written for one event, made of what runs. */
  write(event: HostEvent, command: string): Value;
  /** The handlers in what stands there. */
  handlers(value: unknown): readonly unknown[];
}

/** One element in the list of each event, beside those of others. */
export function hookEntries(host: HostName, ours: Ours, shape: HookShape): SettingsEntry[] {
  return eventsOf(host).map((event, _index, events) => {
    const hasTwins = events.filter(({ name }) => name === event.name).length > 1;
    return {
      at: 'element',
      path: ['hooks', event.name],
      value: shape.write(event, hookCommand(host, event.name, ours)),
      isOurs: (value) =>
        shape.handlers(value).some((handler) => isOurHandler(handler, host, event.name)) &&
        (!hasTwins || matcherOf(value) === event.matcher),
    };
  });
}

/** A file of hooks that has to say which version of its format it is in. */
export function versionedHooks(host: HostName, path: string, ours: Ours, shape: HookShape): HostFile[] {
  const version: SettingsEntry = {
    at: 'key',
    path: ['version'],
    value: 1,
    isOurs: (value) => value === 1,
    isCommon: true,
    ifAbsent: true,
  };
  return [
    { kind: 'edited', path, format: 'jsonc', entries: [version, ...hookEntries(host, ours, shape)] },
    ...hookFiles(host, ours),
  ];
}

function matcherOf(value: unknown): unknown {
  return (value as { matcher?: unknown } | null)?.matcher;
}

/** As Claude Code has them, and those that follow it: groups of handlers, each group with a matcher. */
export function groups(handler: (event: HostEvent, command: string) => Value): HookShape {
  return {
    write: (event, command) => ({
      ...(event.matcher !== undefined && { matcher: event.matcher }),
      hooks: [handler(event, command)],
    }),
    handlers: (value) => {
      const { hooks } = (value ?? {}) as { hooks?: unknown };
      return Array.isArray(hooks) ? hooks : [];
    },
  };
}

/** As Cursor has them: handlers one by one. */
export function handlers(handler: (event: HostEvent, command: string) => Value): HookShape {
  return { write: handler, handlers: (value) => [value] };
}
