import { claudeFamily } from './claude-family.ts';
import type { HostEvent } from './dialect.ts';
import { type Replace, replaceBlocks, replaceField, replaceStreams } from './results.ts';

/** Seen with the program, 2.1. */
export const CLAUDE_EVENTS: readonly HostEvent[] = [
  { name: 'SessionStart', kind: 'session-start' },
  { name: 'UserPromptSubmit', kind: 'prompt' },
  { name: 'PostToolUse', kind: 'tool' },
  { name: 'PostToolUseFailure', kind: 'tool' },
  { name: 'PreCompact', kind: 'before-compaction' },
  { name: 'PostCompact', kind: 'after-compaction' },
  { name: 'InstructionsLoaded', kind: 'instructions-loaded' },
  { name: 'SubagentStart', kind: 'subagent-start' },
  { name: 'SubagentStop', kind: 'subagent-stop' },
  { name: 'SessionEnd', kind: 'session-end' },
];

/** Another shape than the tool's own is dropped by the host without a word. Files are shown as they are. */
const SHAPES = new Map<string, Replace>([
  ['Bash', replaceStreams],
  ['Grep', replaceField('content')],
  ['WebFetch', replaceField('result')],
]);

export const claudeCode = claudeFamily({
  host: 'claude-code',
  events: CLAUDE_EVENTS,
  // At the stop of a subagent, context would make it go on.
  context: ['session-start', 'prompt', 'tool', 'subagent-start'],
  replaceOf: (tool) => (tool.startsWith('mcp__') ? replaceBlocks : SHAPES.get(tool)),
  replacement: (replaced) => ({ specific: { updatedToolOutput: replaced } }),
  // What it prints before a compaction goes into the prompt for the summary, unless it looks like JSON.
  instructions: (text) => (text.trimStart().startsWith('{') ? '' : text),
  // Hosts that took over its hooks tell the time, too.
  isSuspect: (payload) => 'timestamp' in payload,
});
