import { claudeFamily } from './claude-family.ts';

/** From its documentation: the names of Claude Code, with the time in each payload, and results that stay as they are. */
export const vscode = claudeFamily({
  host: 'vscode',
  events: [
    { name: 'SessionStart', kind: 'session-start' },
    { name: 'UserPromptSubmit', kind: 'prompt' },
    { name: 'PostToolUse', kind: 'tool' },
    { name: 'PreCompact', kind: 'before-compaction' },
    { name: 'SubagentStart', kind: 'subagent-start' },
    { name: 'SubagentStop', kind: 'subagent-stop' },
  ],
  context: ['session-start', 'tool', 'subagent-start'],
  replaceOf: () => undefined,
  replacement: () => ({}),
});
