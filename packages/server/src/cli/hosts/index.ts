import { existsSync } from 'node:fs';
import { HOST_NAMES, type HostName } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { didYouMean } from '../did-you-mean.ts';
import type { Installable, InstallPlace } from '../install/installable.ts';
import { claudeCode } from './definitions/claude-code.ts';
import { cline } from './definitions/cline.ts';
import { codex } from './definitions/codex.ts';
import { copilot } from './definitions/copilot.ts';
import { cursor } from './definitions/cursor.ts';
import { gemini } from './definitions/gemini.ts';
import { goose } from './definitions/goose.ts';
import { opencode } from './definitions/opencode.ts';
import { pi } from './definitions/pi.ts';
import { qwen } from './definitions/qwen.ts';
import { vscode } from './definitions/vscode.ts';
import { windsurf } from './definitions/windsurf.ts';
import { zed } from './definitions/zed.ts';
import type { Host, RunnableHost } from './host.ts';
import { programNamed } from './machine/program.ts';
import type { Ours } from './our-program.ts';
import { whyNoWindow } from './parts/model-address.ts';

export const HOSTS: { readonly [name in HostName]: Host } = {
  'claude-code': claudeCode,
  codex,
  gemini,
  qwen,
  opencode,
  pi,
  cursor,
  vscode,
  copilot,
  windsurf,
  zed,
  goose,
  cline,
};

/** Those that can be run with nothing installed. */
export const RUNNABLE: readonly RunnableHost[] = HOST_NAMES.map((name) => HOSTS[name]).filter(isRunnable);

function isRunnable(host: Host): host is RunnableHost {
  return host.run !== undefined && host.program !== undefined;
}

export function runnableNamed(name: string): RunnableHost {
  const host = RUNNABLE.find((one) => one.name === name);
  if (host) return host;
  const others = (HOST_NAMES as readonly string[]).includes(name)
    ? ` It can be installed: infold install ${name}.`
    : '';
  throw new InfoldError(
    'invalid_arguments',
    `There is no host "${name}" to run${didYouMean(
      name,
      RUNNABLE.map((one) => one.name),
    )}; there are ${RUNNABLE.map((one) => one.name).join(', ')}.${others} Any other command is run with "infold run -- ${name} …"`,
  );
}

/** Whether the host is used on this machine, or in this project. */
export function isThere(host: Host, place: InstallPlace): boolean {
  if (host.traces(place).some((path) => existsSync(path))) return true;
  return (
    place.scope === 'user' &&
    host.program !== undefined &&
    programNamed(host.program, place.environment.PATH) !== undefined
  );
}

/** Every host as `install` takes it, with what is ours to write. */
export function installables(ours: Ours): Installable[] {
  return HOST_NAMES.map((name) => {
    const host = HOSTS[name];
    return {
      name,
      title: host.title,
      isThere: (place) => isThere(host, place),
      files: (place) => host.files(place, ours),
      notes: async (place) => [
        ...((await host.notes?.(place, ours)) ?? []),
        ...commonNotes(host, place, ours),
      ],
    };
  });
}

/** Hosts with hooks whose calls by HTTP cannot be told to belong to the same session. */
function hasNoSession({ name }: Host): boolean {
  return ['gemini', 'qwen', 'cursor', 'copilot'].includes(name);
}

function commonNotes(host: Host, place: InstallPlace, ours: Ours): string[] {
  const notes: string[] = [];
  // A plugin is a file of this machine however the tools are connected.
  if (place.scope === 'project' && (!place.http || host.hasPlugin) && !ours.isCached)
    notes.push(
      'These files contain paths of this machine: keep them out of Git, and have everybody install for themselves.',
    );
  if (place.http && hasNoSession(host))
    notes.push(
      `Over HTTP ${host.title} does not say which session a call is for: hooks would be counted for another session, so none are written, and its model has to pass session_id.`,
    );
  const why = place.window ? whyNoWindow(host, ours) : undefined;
  if (why !== undefined) notes.push(why);
  if (place.http || (place.window && why === undefined && host.window !== undefined))
    notes.push(`A server must be running at ${ours.url}: infold serve`);
  return notes;
}
