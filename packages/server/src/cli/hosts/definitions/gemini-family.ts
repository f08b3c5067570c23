import { join } from 'node:path';
import type { HostFile, InstallPlace, Value } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import type { Ours } from '../our-program.ts';
import { groups, hookEntries, hookFiles, PATIENCE } from '../parts/hook-commands.ts';
import { addressOf, processOf, serverEntry } from '../parts/mcp-server.ts';
import { skillFiles } from '../parts/skill.ts';

const HOOKS = groups(({ name }, command) => ({
  type: 'command',
  name: `infold:${name}`,
  command,
  // In milliseconds.
  timeout: PATIENCE * 1000,
}));

/** What is written for Gemini CLI, and for Qwen Code, which comes from it. Over HTTP they tell no session: no hooks there. */
export function geminiFiles(
  { name, title }: Pick<Host, 'name' | 'title'>,
  folder: string,
  place: InstallPlace,
  ours: Ours,
): HostFile[] {
  const server: Value = place.http ? { httpUrl: addressOf(place, ours, title) } : processOf(ours);
  return [
    {
      kind: 'edited',
      path: join(folder, 'settings.json'),
      format: 'jsonc',
      entries: [serverEntry(['mcpServers'], server), ...(place.http ? [] : hookEntries(name, ours, HOOKS))],
    },
    ...(place.http ? [] : hookFiles(name, ours)),
    ...skillFiles(join(folder, 'skills'), ours),
  ];
}
