import type { HostName } from '@infold/protocol';
import type { EventKind } from '../../hooks/call.ts';

export interface HostEvent {
  name: string;
  kind: EventKind;
  matcher?: string;
}

const CLAUDE: readonly HostEvent[] = [
  { name: 'SessionStart', kind: 'session-start' },
  { name: 'UserPromptSubmit', kind: 'prompt' },
  { name: 'PostToolUse', kind: 'tool' },
  { name: 'PreCompact', kind: 'before-compaction' },
  { name: 'SubagentStart', kind: 'subagent-start' },
  { name: 'SubagentStop', kind: 'subagent-stop' },
  { name: 'SessionEnd', kind: 'session-end' },
];

const EVENTS: { readonly [host in HostName]?: readonly HostEvent[] } = {
  'claude-code': CLAUDE,
  codex: CLAUDE,
  gemini: [
    { name: 'SessionStart', kind: 'session-start' },
    { name: 'BeforeAgent', kind: 'prompt' },
    { name: 'AfterTool', kind: 'tool' },
    { name: 'PreCompress', kind: 'before-compaction' },
    { name: 'SessionEnd', kind: 'session-end' },
  ],
};

/** What is registered with a host. */
export function eventsOf(host: HostName): readonly HostEvent[] {
  return EVENTS[host] ?? [];
}
