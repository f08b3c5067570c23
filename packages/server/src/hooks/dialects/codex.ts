import { claudeFamily } from './claude-family.ts';
import type { Replace } from './results.ts';

/** It shows a text in place of any result, and asks for no shape. Files are read by commands, and patched by this tool. */
const replaceAny: Replace = (result, text) => (result === undefined || result === null ? undefined : text);

/** Seen with the program, 0.166. It refuses an answer with a field that it does not know, and that for the event. */
export const codex = claudeFamily({
  host: 'codex',
  events: [
    { name: 'SessionStart', kind: 'session-start' },
    { name: 'UserPromptSubmit', kind: 'prompt' },
    { name: 'PostToolUse', kind: 'tool' },
    { name: 'PreCompact', kind: 'before-compaction' },
    { name: 'PostCompact', kind: 'after-compaction' },
    { name: 'SubagentStart', kind: 'subagent-start' },
    { name: 'SubagentStop', kind: 'subagent-stop' },
    { name: 'SessionEnd', kind: 'session-end' },
  ],
  context: ['session-start', 'prompt', 'tool', 'subagent-start'],
  replaceOf: (tool, callId) => {
    // Called from a script of the model's, which is given the result as it was.
    if (callId?.startsWith('exec-')) return undefined;
    return tool === 'Bash' || tool.startsWith('mcp__') ? replaceAny : undefined;
  },
  // The turn goes on: the model reads the reason where the result was.
  replacement: (_replaced, text) => ({
    top: { continue: false, stopReason: 'The result was shortened.', reason: text },
  }),
});
