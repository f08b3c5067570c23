import { InfoldError } from '../../../kernel/errors.ts';
import type { InstallPlace, SettingsEntry, Value } from '../../install/installable.ts';
import { type Ours, programOf } from '../our-program.ts';

/** What hosts call our MCP server. */
export const SERVER = 'infold';

/** How our server is started as a process. */
export function processOf(ours: Ours): { command: string; args: string[] } {
  const [command, ...args] = programOf(ours, 'stdio', ...ours.dataFlags, ...ours.configFlags);
  return { command, args };
}

/** Editors start their servers anywhere. */
export function inProject(
  { scope, project }: InstallPlace,
  { command, args }: { command: string; args: string[] },
) {
  return { command, args: scope === 'project' ? [...args, '--project', project] : args };
}

/** The address of our server. It names the project: by HTTP no host says which one it works in. */
export function addressOf(place: InstallPlace, ours: Ours, title: string): string {
  if (place.scope === 'user') {
    throw new InfoldError(
      'invalid_arguments',
      `${title} can be connected over HTTP for one project only, which the address names: use --scope project, or leave out --http`,
    );
  }
  const project = encodeURIComponent(place.project).replaceAll('%2F', '/');
  return `${ours.url}/mcp?names=portable&project=${project}`;
}

/** Our server in a host's list of servers. */
export function serverEntry(list: readonly string[], value: Value): SettingsEntry {
  return { at: 'key', path: [...list, SERVER], value, isOurs: isOurServer };
}

/** Whether a server was written by us: a person's own of this name is left alone. */
export function isOurServer(value: unknown): boolean {
  if (typeof value === 'string')
    return /(^|[\\/])infold(\.mjs|\.cmd|\.exe)?$/.test(value) || /^https?:\/\/[^/]+\/mcp(\?|$)/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isOurServer);
}

/** For hosts that keep nothing in a project. */
export function refuseProject(place: InstallPlace, title: string): void {
  if (place.scope === 'project') {
    throw new InfoldError(
      'invalid_arguments',
      `${title} has no settings in a project: install it with --scope user`,
    );
  }
}
