import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { HostEvent } from '../../../hooks/dialects/dialect.ts';

/** What Codex takes where a hook names no time. */
const DEFAULT_TIMEOUT = 600;

interface Handler {
  type?: unknown;
  command?: unknown;
  timeout?: number;
  async?: boolean;
}

interface Group {
  matcher?: string;
  hooks?: readonly Handler[];
}

interface State {
  trusted_hash?: unknown;
}

/** How Codex calls the trust in a hook, and what it has to be. Seen with the program, 0.166. */
export function trustKey(file: string, event: string, group: number, handler: number): string {
  return `${file}:${snakeCase(event)}:${group}:${handler}`;
}

export function trustHash(event: string, { matcher }: Group, handler: Handler): string {
  const { type, command, timeout = DEFAULT_TIMEOUT, async: isAsync = false } = handler;
  // Its keys are in order, and nothing stands between them.
  const told = JSON.stringify({
    event_name: snakeCase(event),
    hooks: [{ async: isAsync, command, timeout, type }],
    ...(matcher !== undefined && { matcher }),
  });
  return `sha256:${createHash('sha256').update(told).digest('hex')}`;
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=.)([A-Z])/g, '_$1').toLowerCase();
}

/** The events whose hooks of ours Codex skips, as a person has not trusted them, or not since they changed. */
export function distrusted(
  file: string,
  hooks: Readonly<Record<string, unknown>>,
  states: Readonly<Record<string, State>>,
  isOurs: (event: string, group: unknown) => boolean,
  events: readonly HostEvent[],
): string[] {
  const names = [file, realPath(file)];
  return events
    .filter(({ name }) => {
      const groups = Array.isArray(hooks[name]) ? (hooks[name] as Group[]) : [];
      return groups.some((group, index) => {
        if (!isOurs(name, group)) return false;
        return (group.hooks ?? []).some((handler, position) => {
          const hash = trustHash(name, group, handler);
          return !names.some((path) => states[trustKey(path, name, index, position)]?.trusted_hash === hash);
        });
      });
    })
    .map(({ name }) => name);
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
