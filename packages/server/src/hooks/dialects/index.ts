import type { HostName } from '@infold/protocol';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import type { HookDialect } from './dialect.ts';
import { gemini } from './gemini.ts';
import { opencode, pi } from './plugins.ts';
import { qwen } from './qwen.ts';
import { vscode } from './vscode.ts';
import { windsurf } from './windsurf.ts';

/** The hosts that have hooks, or a plugin of ours that speaks for them. */
export const DIALECTS: Readonly<Partial<Record<HostName, HookDialect>>> = {
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
};
