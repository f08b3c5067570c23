import { claudeFamily } from './claude-family.ts';

/**
 * Seen with the program, 0.61: Claude Code's shapes under names of its own. A result can be replaced only by an error,
 * which would tell the model something wrong. `PreCompress` comes before every request and tells of no compaction.
 */
export const gemini = claudeFamily({
  host: 'gemini',
  events: [
    { name: 'SessionStart', kind: 'session-start' },
    { name: 'BeforeAgent', kind: 'prompt' },
    { name: 'AfterTool', kind: 'tool' },
    { name: 'SessionEnd', kind: 'session-end' },
  ],
  context: ['session-start', 'prompt', 'tool'],
  // It puts what hooks said at the session's start before the person's own words.
  promptOf: (text) => text.replace(/^<hook_context>[\s\S]*?<\/hook_context>\s*/, ''),
  replaceOf: () => undefined,
  replacement: () => ({}),
});
