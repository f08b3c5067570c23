import type { HostName } from '@infold/protocol';

/** What a host tells by a hook, in the words of no host in particular. */
export interface HookCall<Event extends HookEvent = HookEvent> {
  /** Of this one report. It may come twice, from the host and out of the spool: what has no id of its own counts once by this. */
  id: string;
  host: HostName;
  /** The host's own id of its session. */
  session: string;
  /** Who of the agents that share the session; the main one has none. */
  agent?: string;
  /** Where the host works: an absolute path. */
  folder: string;
  /** The host's own record of the conversation: an absolute path. */
  transcript?: string;
  /** Processes above the hook, the nearest first: a stdio server that one of them started belongs to the same window. */
  ancestors?: readonly number[];
  /** When it happened. What was spooled is taken in later. */
  at: number;
  /** It was spooled: nobody waits for an answer. */
  isLate: boolean;
  /** Aborted when the host does not wait any more: nothing is told then. */
  gone?: AbortSignal;
  event: Event;
}

export type HookEvent =
  | { kind: 'session-start'; source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' }
  | { kind: 'session-end'; reason?: string }
  | { kind: 'prompt'; text: string }
  | { kind: 'before-compaction'; trigger: 'auto' | 'manual' }
  | { kind: 'after-compaction'; summary?: string }
  | ToolEvent
  | { kind: 'instructions-loaded'; path: string; reason?: string }
  | { kind: 'subagent-start'; agent: string; type?: string; task?: string }
  | { kind: 'subagent-stop'; agent: string; type?: string; lastMessage?: string; transcript?: string }
  | { kind: 'originals'; originals: readonly Original[] };

/** What a plugin of ours takes out of its host's window, and the handle that brings it back. */
export interface Original {
  handle: string;
  text: string;
}

export interface ToolEvent {
  kind: 'tool';
  /** The id that the host's model gave the call. */
  callId?: string;
  /** As the host's model knows the tool. */
  tool: string;
  input: unknown;
  /** What the model would see of the result, as text; undefined where the host does not tell. */
  output?: string;
  failed: boolean;
  /** Whether the dialect can put another text in place of `output`, in the tool's own shape. */
  isReplaceable: boolean;
}

export type EventKind = HookEvent['kind'];
export type EventOf<Kind extends EventKind> = Extract<HookEvent, { kind: Kind }>;

/** What the host is told. Where it has no place for a part of it, that part is left out. */
export interface HookAnswer {
  /** For the model to read, where the host puts what hooks say. */
  context?: string;
  /** For whoever writes the summary of a compaction. */
  instructions?: string;
  /** In place of the tool's result. */
  output?: string;
  /** How many originals are in the archive now. */
  kept?: number;
}
