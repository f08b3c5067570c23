import { z } from 'zod';
import {
  type ContextNode,
  contextSchema,
  type Envelope,
  HISTORY_MODES,
  isTimestamp,
  gatewayName as name,
} from '../gateway.ts';
import {
  podContextsInput,
  podContextsOutput,
  podName,
  podReadInput,
  podReadOutput,
  podSendInput,
  podSendOutput,
} from '../gateway-tools.ts';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields } from './shape.ts';

/** A context on its own, without what is below it. */
const contextFields = {
  id: z.string(),
  type: z.string().nullable(),
  parent: z.string().nullable(),
  state: z.enum(['live', 'concluded', 'placeholder']),
  messages: z.number().int(),
  tokens: z.number().int(),
  created_at: z.string(),
  last_at: z.string(),
  summary: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
};
const contextNode: z.ZodType<ContextNode> = z.object({
  ...contextFields,
  children: z.array(z.lazy(() => contextNode)),
});

const envelope: z.ZodType<Envelope> = z.looseObject({
  protocol: z.string(),
  id: z.string(),
  ts: z.string(),
  from: z.string(),
  to: z.array(z.string()).exactOptional(),
  kind: z.string(),
  correlation_id: z.string().exactOptional(),
  context: contextSchema.exactOptional(),
  payload: z.unknown().optional(),
});
/** A message as it was sent, with its position. */
const message = z.object({ seq: z.number().int(), epoch: z.string(), envelope });
const linked = z.array(message.extend({ pod: z.string() }));

/** A position in the pod, or a time. */
const place = z
  .string()
  .refine((text) => /^\d{1,15}$/.test(text) || isTimestamp(text), 'must be a position or an RFC 3339 time')
  .optional();

const patterns = z.union([z.string(), z.array(z.string())]);
/** What holds for contexts of one type. */
const template = z.object({
  description: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  idleMs: z.number().optional(),
  depth: z.number().int().optional(),
  kinds: z.array(z.string()).optional(),
  remember: z.boolean().optional(),
});
const rule = z.object({
  name: z.string().describe('Where it stands in the configuration'),
  effect: z.enum(['allow', 'deny']),
  kind: patterns,
  context: z
    .union([
      z.literal('main'),
      z.object({ type: z.string().optional(), id: z.string().optional(), within: z.string().optional() }),
    ])
    .optional(),
  from: patterns.optional(),
  pod: patterns.optional(),
});

const messageFields = {
  pod: podName,
  context: name.optional().describe('Of one context'),
  type: name.optional().describe('Of one type of context'),
  kind: name.optional().describe('Of one kind; * stands for any text'),
  from: name.optional().describe('Of one participant'),
  correlation: name.optional().describe('What refers to this message or context'),
  since: place.describe('After this position or time'),
  before: place.describe('Before this position or time'),
  order: z.enum(['oldest', 'newest']).default('oldest').describe('What comes first'),
  ...pageFields({ usual: 50, most: 1000 }),
};
const words = z.string().min(1).max(1000);
const messagePage = z.object({ messages: z.array(message), next });

export const gatewayApi = {
  podSend: describeAction({
    name: 'pod_send',
    door: 'gateway',
    summary: 'Say something to everyone in a pod.',
    scope: 'write',
    input: podSendInput,
    output: podSendOutput,
  }),
  podRead: describeAction({
    name: 'pod_read',
    door: 'gateway',
    summary: 'Read a pod as a participant does, and wait for what comes.',
    scope: 'read',
    input: podReadInput,
    output: podReadOutput,
  }),
  podContexts: describeAction({
    name: 'pod_contexts',
    door: 'gateway',
    summary: 'The contexts of a pod, or where a context is.',
    scope: 'read',
    input: podContextsInput,
    output: podContextsOutput,
  }),
  listPods: describeAction({
    name: 'listPods',
    door: 'gateway',
    summary: 'The pods that are open to the caller.',
    scope: 'read',
    input: z.object({}),
    output: z.object({
      pods: z.array(
        z.object({
          name: z.string(),
          /** Position of its newest message. */
          seq: z.number().int(),
          /** Null where nothing of it is stored. */
          created_at: z.string().nullable(),
          last_at: z.string(),
          history: z.enum(HISTORY_MODES),
          /** How many are connected. */
          participants: z.number().int(),
        }),
      ),
      next,
    }),
    route: ROUTES.listPods,
  }),
  listPodParticipants: describeAction({
    name: 'listPodParticipants',
    door: 'gateway',
    summary: 'Who is connected to a pod.',
    scope: 'read',
    input: z.object({ pod: podName }),
    output: z.object({
      participants: z.array(z.object({ id: z.string(), capabilities: z.array(z.string()) })),
      next,
    }),
    route: ROUTES.listPodParticipants,
  }),
  readPodPolicy: describeAction({
    name: 'readPodPolicy',
    door: 'gateway',
    summary: 'What holds in a pod: its history, types of contexts, and who may send what where.',
    scope: 'read',
    input: z.object({ pod: podName }),
    output: z.object({
      history: z.enum(HISTORY_MODES),
      /** Contexts without a message for this long conclude, where their template does not say otherwise. */
      idle_ms: z.number(),
      templates: z.record(z.string(), template),
      rules: z.array(rule),
    }),
    route: ROUTES.readPodPolicy,
  }),
  listPodContexts: describeAction({
    name: 'listPodContexts',
    door: 'gateway',
    summary: 'The contexts of a pod as a tree.',
    scope: 'read',
    input: z.object({ pod: podName }),
    output: z.object({ contexts: z.array(contextNode) }),
    route: ROUTES.listPodContexts,
  }),
  readPodContext: describeAction({
    name: 'readPodContext',
    door: 'gateway',
    summary: 'One context of a pod, with those below it and what refers to it.',
    scope: 'read',
    input: z.object({ pod: podName, id: name }),
    output: z.object({ ...contextFields, children: z.array(contextNode), linked }),
    route: ROUTES.readPodContext,
  }),
  listPodMessages: describeAction({
    name: 'listPodMessages',
    door: 'gateway',
    summary: 'What was said in a pod, oldest or newest first.',
    scope: 'read',
    input: z.object({ ...messageFields, q: words.optional().describe('With these words') }),
    output: messagePage,
    route: ROUTES.listPodMessages,
  }),
  searchPodMessages: describeAction({
    name: 'searchPodMessages',
    door: 'gateway',
    summary: 'Messages of a pod that hold all the words.',
    scope: 'read',
    input: z.object({ ...messageFields, q: words.describe('Words that must all occur') }),
    output: messagePage,
    route: ROUTES.searchPodMessages,
  }),
  resolveCorrelation: describeAction({
    name: 'resolveCorrelation',
    door: 'gateway',
    summary:
      'Where a correlation id leads to, in every pod that is open to the caller, and what refers to it.',
    scope: 'read',
    input: z.object({ id: name }),
    output: z.object({
      id: z.string(),
      contexts: z.array(z.object({ pod: z.string(), ...contextFields })),
      linked,
    }),
    route: ROUTES.resolveCorrelation,
  }),
};
