import { homedir } from 'node:os';
import { sep } from 'node:path';
import type { FileReport, HostReport } from './installer.ts';
import type { EntryChange } from './pending-file.ts';

const DONE: Record<FileReport['what'], string> = {
  made: 'made',
  changed: 'changed',
  removed: 'removed',
  same: 'as it was',
  left: 'left as it is',
};

const PLANNED: Record<FileReport['what'], string> = {
  ...DONE,
  made: 'would be made',
  changed: 'would be changed',
  removed: 'would be removed',
  same: 'stays as it is',
};

export interface Shown {
  hosts: readonly HostReport[];
  dryRun: boolean;
  verb: 'install' | 'uninstall';
}

export function show({ hosts, dryRun, verb }: Shown): string {
  const words = dryRun ? PLANNED : DONE;
  return hosts.map((host) => showHost(host, words, verb).join('\n')).join('\n\n');
}

function showHost(
  host: HostReport,
  words: Record<FileReport['what'], string>,
  verb: Shown['verb'],
): string[] {
  const lines = [host.scope === 'project' ? `${host.title} (this project)` : host.title];
  if (host.problem !== undefined) lines.push(`  ${host.problem}`);
  if (!host.isThere && verb === 'install')
    lines.push('  It was not found here; what it needs is written anyway.');
  if (host.files.length === 0 && verb === 'uninstall') lines.push('  Nothing from Infold was found.');
  for (const file of host.files) lines.push(...showFile(file, words, verb));
  return [...lines, ...host.notes.map((note) => `  ${note}`)];
}

function showFile(
  file: FileReport,
  words: Record<FileReport['what'], string>,
  verb: Shown['verb'],
): string[] {
  const path = short(file.path);
  if (file.problem !== undefined) return [`  ${path} ${file.problem}: left as it is`];
  return [
    `  ${path}: ${words[file.what]}`,
    ...(file.diff === undefined ? [] : file.diff.split('\n').map((line) => `    ${line}`)),
    ...file.changes.flatMap((change) => remarkOn(change, verb)).map((remark) => `    ${remark}`),
  ];
}

/** What somebody has to know about an entry that is not as they might expect. */
function remarkOn({ name, what }: EntryChange, verb: Shown['verb']): string[] {
  const thing = name === 'file' ? 'The file' : `"${name}"`;
  const other = verb === 'install' ? '--force replaces it' : '--force removes it';
  if (what === 'edited') return [`${thing} was edited by hand and is left as it is; ${other}`];
  if (what === 'foreign') return [`${thing} is there already and is not ours: left as it is; ${other}`];
  if (what === 'kept') return [`${thing} stays: another host uses it too`];
  return [];
}

function short(path: string): string {
  const home = homedir();
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
