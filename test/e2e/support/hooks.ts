import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, environment } from './program.ts';

/** What hosts start. */
export const HOOK = fileURLToPath(new URL('../../../packages/server/bin/hook.mjs', import.meta.url));

export interface HookOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Its end stays open, as with a host that forgets to close it. */
  keepsOpen?: boolean;
  program?: readonly string[];
}

/** Runs a hook as a host does. */
export function hook(
  data: string,
  host: string,
  event: string,
  payload: unknown,
  { env = {}, cwd, keepsOpen = false, program = [HOOK] }: HookOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...program, host, event, '--data', data], {
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.write(typeof payload === 'string' ? payload : JSON.stringify(payload));
  if (!keepsOpen) child.stdin.end();
  return new Promise((resolve) => {
    child.on('close', (code) => {
      child.stdin.destroy();
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
  });
}

export const SILENT: Ended = { code: 0, stdout: '', stderr: '' };

/** Events that wait for somebody who takes them in. */
export function waiting(data: string): string[] {
  try {
    return readdirSync(join(data, 'spool')).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

export const claude = (event: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...{ session_id: 'hooks-1', cwd: '/home/someone/shop', hook_event_name: event },
  ...more,
});

export const toolUse = (id: string, stdout = 'a line'): Record<string, unknown> =>
  claude('PostToolUse', {
    ...{ tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: id },
    tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
  });
