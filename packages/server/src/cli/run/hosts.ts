import { InfoldError } from '../../kernel/errors.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import type { Host } from './host.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

export const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  qwen,
  opencode,
};

export function hostNamed(name: string): Host {
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  if (host) return host;
  throw new InfoldError(
    'invalid_arguments',
    `There is no host "${name}"; there are ${Object.keys(HOSTS).join(', ')}. Any other command is run with "infold run -- ${name} …"`,
  );
}
