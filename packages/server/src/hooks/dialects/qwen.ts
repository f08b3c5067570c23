import { claudeFamily } from './claude-family.ts';

/** Claude Code's names. Seen with the program, 0.24: a result cannot be replaced. Later versions have more events. */
export const qwen = claudeFamily({
  host: 'qwen',
  events: [
    { name: 'SessionStart', kind: 'session-start' },
    { name: 'UserPromptSubmit', kind: 'prompt' },
    { name: 'PostToolUse', kind: 'tool' },
    { name: 'PostToolUseFailure', kind: 'tool' },
    { name: 'PreCompact', kind: 'before-compaction' },
    { name: 'SubagentStart', kind: 'subagent-start' },
    { name: 'SubagentStop', kind: 'subagent-stop' },
    { name: 'SessionEnd', kind: 'session-end' },
  ],
  context: ['session-start', 'prompt', 'tool', 'subagent-start'],
  replaceOf: () => undefined,
  replacement: () => ({}),
});
