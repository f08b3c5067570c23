import { z } from 'zod';

export * from './gateway-wire.ts';

/** What may stand in an address and in a stream's name without being written differently. */
export const POD_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
export const POD_NAME_PROBLEM = 'must have 1 to 128 letters, digits, ".", "_", ":" or "-"';
/** Participants are shown to people: printable, and never mistaken for the gateway. */
export const PARTICIPANT_ID = /^(?!system:)[^\s\p{C}](?:[^\p{C}]{0,126}[^\s\p{C}])?$/u;

export const GATEWAY_ERRORS = [
  'bad_json',
  'bad_envelope',
  'bad_protocol',
  'forged_sender',
  'capability_violation',
  'duplicate_id',
  'depth_limit',
  'context_limit',
  'metadata_limit',
  'message_size',
  'rate_limit',
  'parent_cycle',
  'secret_identifier',
  'not_stored',
] as const;
export type GatewayErrorCode = (typeof GATEWAY_ERRORS)[number];

const NAME_CHARACTERS = 256;
const RECEIVERS = 256;
/** A filter is kept for as long as its connection, and there may be thousands. */
const FILTER_CHARACTERS = 8192;

const name = z.string().min(1).max(NAME_CHARACTERS);

export { name as gatewayName };

// RFC 3339: a date, a time and an offset. The expression says the form, the date itself whether there is such a day.
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

export function isTimestamp(text: string): boolean {
  if (!RFC_3339.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 10);
  // 30 February parses, as 2 March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** SUB-01: only the shape is checked; whatever else a context carries passes as it was sent. */
export const contextSchema = z.looseObject({
  id: name,
  type: name.optional(),
  parent: name.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type EnvelopeContext = z.infer<typeof contextSchema>;

/** What a participant may send. The gateway fills in `protocol`, `ts` and `from` where they are missing. */
export const envelopeInput = z.looseObject({
  protocol: z.string().optional(),
  id: name,
  ts: z.string().refine(isTimestamp, 'is not an RFC 3339 time').optional(),
  from: z.string().optional(),
  to: z.array(name).max(RECEIVERS).optional(),
  kind: name,
  correlation_id: name.optional(),
  /** Null is as if it were absent. */
  context: contextSchema.nullish(),
  payload: z.unknown().optional(),
});
export type EnvelopeInput = z.infer<typeof envelopeInput>;

/** What everyone receives. Messages of the gateway itself have no `seq`. */
export interface Envelope {
  protocol: string;
  id: string;
  ts: string;
  from: string;
  to?: string[];
  kind: string;
  correlation_id?: string;
  context?: EnvelopeContext;
  payload?: unknown;
  /** Position in the pod, and the life of the pod that it belongs to. */
  seq?: number;
  epoch?: string;
  /** Sent again from history, because somebody asked. */
  replay?: true;
  [key: string]: unknown;
}

export const filterPayload = z
  .strictObject({
    contexts: z
      .union([
        z.enum(['all', 'main']),
        z.strictObject({
          types: z.array(name).max(64).optional(),
          ids: z.array(name).max(64).optional(),
          descendants: z.boolean().optional(),
        }),
      ])
      .default('all'),
    kinds: z.array(name).max(64).optional(),
    directed: z.boolean().optional(),
  })
  .refine(
    (filter) => JSON.stringify(filter).length <= FILTER_CHARACTERS,
    `is longer than ${FILTER_CHARACTERS} characters`,
  );
export type GatewayFilter = z.infer<typeof filterPayload>;

const position = z.number().int().nonnegative();

export const replayPayload = z.strictObject({
  since: position.optional(),
  before: position.optional(),
  context: name.optional(),
  type: name.optional(),
  kind: name.optional(),
  from: name.optional(),
  text: z.string().max(1000).optional(),
  after_time: z.string().refine(isTimestamp, 'is not an RFC 3339 time').optional(),
  before_time: z.string().refine(isTimestamp, 'is not an RFC 3339 time').optional(),
  limit: z.number().int().positive().optional(),
});
export type ReplayRequest = z.infer<typeof replayPayload>;

export interface Participant {
  id: string;
  capabilities: string[];
}

export const HISTORY_MODES = ['durable', 'memory', 'none'] as const;
export type HistoryMode = (typeof HISTORY_MODES)[number];

export interface WelcomePayload {
  you: Participant;
  participants: Participant[];
  pod: string;
  epoch: string;
  /** The newest message's position. */
  seq: number;
  history: HistoryMode;
  filter: GatewayFilter;
  /** Types of contexts that the configuration describes, by name. */
  templates: Record<string, ContextTemplate>;
}
/** What holds for contexts of one type. */
export interface ContextTemplate {
  description?: string | undefined;
  /** What they have from the beginning, where their first message does not say otherwise. */
  metadata?: Record<string, unknown> | undefined;
  /** Without a message for this long they conclude. */
  idleMs?: number | undefined;
  /** How deep they may stand; 1 is the top. */
  depth?: number | undefined;
  /** What may be said in them, with wildcards. */
  kinds?: readonly string[] | undefined;
  remember?: boolean | undefined;
}
export interface PresencePayload {
  event: 'join' | 'leave';
  participant: Participant;
}
export interface ContextPayload {
  event: 'created' | 'concluded';
  id: string;
  context: string;
  type: string | null;
  parent: string | null;
  messages: number;
  tokens: number;
  summary: string | null;
  /** What its template, its first message and its conclusion say of it. */
  metadata?: Record<string, unknown>;
}
export interface GapPayload {
  from: number;
  to: number;
}
/**
 * To a sender: its messages are durable, all of this epoch up to `seq` but those that were refused with `not_stored`.
 * `messages` are those of its own that were written just now.
 */
export interface StoredPayload {
  epoch: string;
  seq: number;
  messages: { id: string; seq: number }[];
}
export interface ReplayEndPayload {
  count: number;
  /** Where the next page begins (`since`); null at the end. */
  next: number | null;
}
/** Where a correlation id leads to, and what refers to it. */
export interface ResolvePayload {
  id: string;
  contexts: (Omit<ContextNode, 'children'> & { pod: string })[];
  linked: { pod: string; seq: number; epoch: string; envelope: Envelope }[];
}
export interface GatewayErrorPayload {
  error: GatewayErrorCode;
  message: string;
  [detail: string]: unknown;
}

/** A context as `GET /api/pods/:pod/contexts` lists it. */
export interface ContextNode {
  id: string;
  type: string | null;
  parent: string | null;
  /** A parent that nobody has used yet is a placeholder. */
  state: 'live' | 'concluded' | 'placeholder';
  messages: number;
  tokens: number;
  created_at: string;
  last_at: string;
  summary: string | null;
  metadata: Record<string, unknown> | null;
  children: ContextNode[];
}
