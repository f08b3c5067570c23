import type { HostName } from '@infold/protocol';
import type { HookEnvironment } from './dialect.ts';
import type { Fields } from './fields.ts';

/**
 * Which host runs a hook, by what only that one says: several hosts read Claude Code's configuration, and plugins that
 * were made for another. Undefined where nothing tells. What a payload says counts before the environment, which a
 * host inherits from the one that it was started from.
 */
export function runningHost(payload: Fields, environment: HookEnvironment): HostName | 'another' | undefined {
  if ('cursor_version' in payload) return 'cursor';
  const session = payload.session_id;
  const own = OWN_SESSION.find(({ variable }) => session !== undefined && environment[variable] === session);
  if (own) return own.host;
  if ('agent_action_name' in payload) return 'windsurf';
  if ('sessionId' in payload && !('session_id' in payload)) return 'copilot';
  if ('turn_id' in payload || isRollout(payload.transcript_path)) return 'codex';
  if (environment.CURSOR_VERSION) return 'cursor';
  if (environment.GROK_HOOK_EVENT) return 'another';
  return undefined;
}

/** Hosts tell their hooks the session twice. */
const OWN_SESSION: { variable: string; host: HostName }[] = [
  { variable: 'CLAUDE_CODE_SESSION_ID', host: 'claude-code' },
  { variable: 'QWEN_CODE_SESSION_ID', host: 'qwen' },
  { variable: 'GEMINI_SESSION_ID', host: 'gemini' },
];

function isRollout(path: unknown): boolean {
  return typeof path === 'string' && /[\\/]rollout-[^\\/]*\.jsonl$/.test(path);
}

/** Hosts that may be told from each other by nothing: VS Code runs Copilot's. */
const ALIKE: readonly (readonly string[])[] = [['copilot', 'vscode']];

/** Whether another host than the one that the hook was written for runs it. */
export function isForeign(host: HostName, payload: Fields, environment: HookEnvironment): boolean {
  const running = runningHost(payload, environment);
  if (running === undefined || running === host) return false;
  return !ALIKE.some((group) => group.includes(host) && group.includes(running));
}
