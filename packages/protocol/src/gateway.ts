import { z } from 'zod';

/** The wire of the gateway: envelopes with optional sub-contexts, broadcast to everyone in a pod. */
export const ENVELOPE_PROTOCOL = 'mcpp/v0.1';
export const GATEWAY_SENDER = 'system:gateway';

/** What may stand in an address and in a stream's name without being written differently. */
export const POD_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
/** Participants are shown to people: printable, and never mistaken for the gateway. */
export const PARTICIPANT_ID = /^(?!system:)[^\s\p{C}](?:[^\p{C}]{0,126}[^\s\p{C}])?$/u;

export const CLOSE_CODES = {
  goingAway: 1001,
  tokenRevoked: 4001,
  tooSlow: 4008,
  replaced: 4009,
} as const;

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
] as const;
export type GatewayErrorCode = (typeof GATEWAY_ERRORS)[number];

const NAME_CHARACTERS = 256;
const RECEIVERS = 256;

const name = z.string().min(1).max(NAME_CHARACTERS);
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
  context: contextSchema.optional(),
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

export const filterPayload = z.strictObject({
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
});
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
}
export interface GapPayload {
  from: number;
  to: number;
}
export interface ReplayEndPayload {
  count: number;
  /** Where the next page begins (`since`); null at the end. */
  next: number | null;
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
  children: ContextNode[];
}

/** A pattern in which `*` stands for any text, also in the middle. Linear in the text, whatever the pattern. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return (text) => text === pattern;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const middle = parts.slice(1, -1).filter((part) => part !== '');
  return (text) => {
    if (text.length < first.length + last.length) return false;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let place = first.length;
    const end = text.length - last.length;
    for (const part of middle) {
      const found = text.indexOf(part, place);
      if (found === -1 || found + part.length > end) return false;
      place = found + part.length;
    }
    return place <= end;
  };
}

/** Kinds seen at once by one matcher; a sender that makes up new ones must not fill the memory. */
const REMEMBERED_KINDS = 256;

/**
 * SUB-07: what capabilities allow, compiled once. `!` forbids, whatever else allows it; a list that only forbids
 * allows the rest. An empty list allows nothing.
 */
export function compileCapabilities(capabilities: readonly string[]): (kind: string) => boolean {
  const allowed = capabilities.filter((capability) => !capability.startsWith('!')).map(wildcard);
  const denied = capabilities
    .filter((capability) => capability.startsWith('!'))
    .map((text) => wildcard(text.slice(1)));
  if (allowed.length === 0 && denied.length > 0) allowed.push(() => true);
  const known = new Map<string, boolean>();
  return (kind) => {
    const answer = known.get(kind);
    if (answer !== undefined) return answer;
    const verdict = allowed.some((matches) => matches(kind)) && !denied.some((matches) => matches(kind));
    if (known.size < REMEMBERED_KINDS) known.set(kind, verdict);
    return verdict;
  };
}
