/** The hosts that Infold supports, as commands and routes name them. */
export const HOST_NAMES = [
  'claude-code',
  'codex',
  'gemini',
  'qwen',
  'opencode',
  'pi',
  'cursor',
  'vscode',
  'copilot',
  'windsurf',
  'zed',
  'goose',
  'cline',
] as const;

export type HostName = (typeof HOST_NAMES)[number];
