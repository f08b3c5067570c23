import type { Said } from './dialects.ts';
import type { HostName } from './installed.ts';
import type { Step } from './scripted-model.ts';
import { HOSTS } from './tried.ts';

/** A host in a home where a person has used it before. */
interface Home {
  /** The person's own settings, by path in the home, with this address of a model. */
  own(model: string): Record<string, string>;
  /** Files that the host itself rewrites while it runs: of these the entries are compared, not the bytes. */
  rewritten?: readonly string[];
  environment(model: string): Record<string, string>;
  /** It runs its first hook while our process is still starting: on a slow machine only a server listens by then. */
  isHasty?: boolean;
  begin(prompt: string): string[];
  resume(prompt: string): string[];
  /** The host's own tool runs a command. */
  shell(command: string): Said;
  /** A command, a file, records and another command, as hooks and our server name what ran. */
  tools: readonly string[];
  /** How many tokens the model has to count until the host makes a summary within the turn; 0: it never does. */
  compactsAt: number;
  /** What its summary prompt takes from hooks is in it. */
  takesInstructions: boolean;
  /** Its model starts an agent, and waits for it. */
  agent?: readonly Step[];
  /** A hook may put a shorter text in the place of what a command printed. */
  shortens: boolean;
}

export type HomeName = Extract<HostName, 'codex' | 'gemini' | 'claude-code'>;

/** It would ask the model before our tools are there. */
const WAITS = ['-c', 'mcp_servers.infold.required=true'];
const CODEX = ['--skip-git-repo-check', '-s', 'danger-full-access', '-m', 'gpt-5.4', ...WAITS];
/** In place of the person who trusts hooks in the terminal. */
const TRUSTED = '--dangerously-bypass-hook-trust';
const GEMINI = ['-m', 'gemini-2.5-pro', '--yolo'];
const CLAUDE = ['--allowedTools', 'mcp__infold', 'Read', 'Bash'];

export const HOMES: Record<HomeName, Home> = {
  codex: {
    own: (model) => ({
      '.codex/config.toml': [
        '# Mine.',
        `openai_base_url = "${model}/v1" # not the real one`,
        'model_auto_compact_token_limit = 60000',
        '',
        '[tui]',
        "notifications = false   # they're loud",
        '',
      ].join('\n'),
      '.codex/hooks.json':
        '{\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}',
    }),
    environment: () => HOSTS.codex.env,
    begin: (prompt) => ['exec', ...CODEX, TRUSTED, prompt],
    resume: (prompt) => ['exec', ...CODEX, TRUSTED, 'resume', '--last', prompt],
    shell: (command) => ({ tool: 'exec_command', input: { cmd: command } }),
    tools: ['Bash', 'Bash', 'search_records', 'Bash'],
    agent: [
      () => ({ tool: 'multi_agent_v1/spawn_agent', input: { message: 'Look for the pump.' } }),
      (newest) => ({
        tool: 'multi_agent_v1/wait_agent',
        input: { targets: [/agent_id\W+([\w-]+)/.exec(newest)?.[1]] },
      }),
    ],
    compactsAt: 100_000,
    takesInstructions: false,
    shortens: true,
  },
  gemini: {
    own: () => ({
      '.gemini/settings.json': `{
  // Mine.
  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
  "model": { "compressionThreshold": 0.02 } // Early.
}
`,
    }),
    environment: (model) => ({ ...HOSTS.gemini.env, GOOGLE_GEMINI_BASE_URL: model }),
    begin: (prompt) => [...GEMINI, '-p', prompt],
    resume: (prompt) => [...GEMINI, '--resume', 'latest', '-p', prompt],
    shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
    tools: ['run_shell_command', 'read_file', 'search_records', 'run_shell_command'],
    // It cuts where a person said something: not within the first turn.
    compactsAt: 0,
    takesInstructions: false,
    shortens: false,
  },
  'claude-code': {
    own: () => ({
      '.claude/settings.json': '{"cleanupPeriodDays":   20}\n',
      '.claude.json': '{\n\t"numStartups": 3\n}',
    }),
    rewritten: ['.claude.json'],
    isHasty: true,
    environment: (model) => ({
      ...HOSTS['claude-code'].env,
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000',
    }),
    begin: (prompt) => ['-p', prompt, ...CLAUDE],
    resume: (prompt) => ['-p', prompt, '--continue', ...CLAUDE],
    shell: (command) => ({ tool: 'Bash', input: { command, description: 'Looks' } }),
    tools: ['Bash', 'Read', 'search_records', 'Bash'],
    agent: [
      () => ({
        tool: 'Agent',
        input: { description: 'Look', prompt: 'Look for the pump.', subagent_type: 'general-purpose' },
      }),
      // It hears of the end by itself.
      () => ({ text: 'I wait.' }),
    ],
    compactsAt: 90_000,
    takesInstructions: true,
    shortens: true,
  },
};
