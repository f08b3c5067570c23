import type { HostName } from './installed.ts';
import type { Spelling } from './script.ts';

export interface Tried {
  args: string[];
  env: Record<string, string>;
  spelling: Spelling;
  /** What of the conversation is left of it at most, in the last prompt. */
  most: number;
  /** What a person has set up before. */
  settings?(ours: object): Record<string, unknown>;
}

const KEY = 'not-a-key';
const SEARCHED = ['context_branch', 'context_return', 'search_records', 'store_analysis_memory'];

export const HOSTS: Record<HostName, Tried> = {
  codex: {
    args: ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', '-m', 'gpt-5.4', 'Go on.'],
    env: { CODEX_API_KEY: KEY },
    spelling: {
      ours: (name) => `mcp__infold/${name}`,
      search: () => ({ tool: 'tool_search', input: { query: 'context branch, records', limit: 30 } }),
      read: (file) => ({ tool: 'exec_command', input: { cmd: `cat ${file}` } }),
    },
    most: 0.3,
  },
  gemini: {
    args: ['-m', 'gemini-2.5-pro', '--yolo', '-p', 'Go on.'],
    env: { GEMINI_API_KEY: KEY, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    spelling: {
      ours: (name) => `mcp_infold_${name}`,
      read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    },
    most: 0.15,
    settings: (ours) => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        mcpServers: { infold: ours },
      },
    }),
  },
  'claude-code': {
    args: ['-p', 'Go on.', '--allowedTools', 'mcp__infold', 'Read'],
    env: { ANTHROPIC_API_KEY: KEY },
    spelling: {
      ours: (name) => `mcp__infold__${name}`,
      search: () => ({
        tool: 'ToolSearch',
        input: {
          query: `select:${SEARCHED.map((name) => `mcp__infold__${name}`).join(',')}`,
          max_results: 10,
        },
      }),
      read: (file) => ({ tool: 'Read', input: { file_path: file } }),
    },
    most: 0.15,
  },
  qwen: {
    args: ['--auth-type', 'openai', '--yolo', '-p', 'Go on.'],
    env: { OPENAI_API_KEY: KEY, OPENAI_MODEL: 'gpt-5.4' },
    spelling: {
      ours: (name) => `mcp__infold__${name}`,
      read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    },
    most: 0.15,
  },
  opencode: {
    args: ['run', '-m', 'anthropic/claude-sonnet-4-5', 'Go on.'],
    env: { ANTHROPIC_API_KEY: KEY, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    spelling: {
      ours: (name) => `infold_${name}`,
      read: (file) => ({ tool: 'read', input: { filePath: file } }),
    },
    most: 0.15,
  },
};
