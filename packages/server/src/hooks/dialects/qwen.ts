import { CLAUDE_EVENTS } from './claude-code.ts';
import { claudeFamily } from './claude-family.ts';

/** Claude Code's events; seen with the program, 0.24, a result cannot be replaced. */
export const qwen = claudeFamily({
  host: 'qwen',
  events: CLAUDE_EVENTS,
  context: ['session-start', 'prompt', 'tool', 'subagent-start'],
  replaceOf: () => undefined,
  replacement: () => ({}),
});
