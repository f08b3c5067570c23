import type { HostName } from '@infold/protocol';

/** By what hosts call themselves when they connect; the first that fits counts, as some are made of others. */
const NAMES: readonly { host: HostName; name: RegExp }[] = [
  { host: 'claude-code', name: /^claude-code/i },
  { host: 'codex', name: /^codex/i },
  { host: 'gemini', name: /^gemini/i },
  { host: 'qwen', name: /^qwen/i },
  { host: 'opencode', name: /^opencode/i },
  { host: 'pi', name: /^(infold-)?pi$/i },
  { host: 'cursor', name: /^cursor/i },
  { host: 'copilot', name: /copilot/i },
  { host: 'vscode', name: /^(visual studio code|vscode)/i },
  { host: 'windsurf', name: /^windsurf/i },
  { host: 'zed', name: /^zed/i },
  { host: 'goose', name: /^goose/i },
  { host: 'cline', name: /^cline/i },
];

/** Whose MCP client this is; undefined for all others. */
export function hostOfClient(name: string): HostName | undefined {
  return NAMES.find((one) => one.name.test(name))?.host;
}
