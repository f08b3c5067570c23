import type { HostName } from '@infold/protocol';
import { CLAUDE_EVENTS } from './claude-code.ts';
import { claudeFamily } from './claude-family.ts';
import type { HookDialect } from './dialect.ts';

/** Hosts in which a plugin of ours speaks: it uses Claude Code's words, and is answered in one shape for all events. */
const pluginOf = (host: HostName): HookDialect =>
  claudeFamily({
    host,
    events: [...CLAUDE_EVENTS, { name: 'WindowOriginals', kind: 'originals' }],
    context: ['session-start', 'prompt', 'tool', 'subagent-start'],
    // The plugin shortens what the window holds: a hook must not do it a second time.
    replaceOf: () => undefined,
    replacement: () => ({}),
    instructions: (text) =>
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreCompact', additionalContext: text } }),
  });

export const opencode = pluginOf('opencode');
export const pi = pluginOf('pi');
