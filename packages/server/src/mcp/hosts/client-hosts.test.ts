import { expect, test } from 'vitest';
import { hostOfClient } from './client-hosts.ts';

test.each([
  ['claude-code', 'claude-code'],
  ['codex-mcp-client', 'codex'],
  ['gemini-cli-mcp-client', 'gemini'],
  ['qwen-cli-mcp-client', 'qwen'],
  ['opencode', 'opencode'],
  ['cursor-vscode', 'cursor'],
  ['Visual Studio Code', 'vscode'],
  ['github-copilot-developer', 'copilot'],
  ['Zed', 'zed'],
  ['mcp-inspector', undefined],
  ['pipeline', undefined],
])('%s is %s', (name, host) => {
  expect(hostOfClient(name)).toBe(host);
});
