import type { EventKind, HookEvent } from '../hook-call.ts';
import { type Fields, oneOf, present, textIn } from './fields.ts';

const SOURCES = ['startup', 'resume', 'clear', 'compact', 'fork'] as const;
const TRIGGERS = ['auto', 'manual'] as const;

/** What hosts tell in the same fields; undefined for other kinds of events, and where a field is missing. */
export function readCommon(kind: EventKind, fields: Fields): HookEvent | undefined {
  switch (kind) {
    case 'session-start':
      return { kind, source: oneOf(SOURCES, fields.source, 'startup') };
    case 'session-end':
      return { kind, ...present({ reason: textIn(fields.reason) }) };
    case 'prompt':
      return typeof fields.prompt === 'string' ? { kind, text: fields.prompt } : undefined;
    case 'before-compaction':
      return { kind, trigger: oneOf(TRIGGERS, fields.trigger, 'auto') };
    default:
      return undefined;
  }
}
