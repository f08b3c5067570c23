import { z } from 'zod';
import {
  contextSchema,
  filterPayload,
  isTimestamp,
  gatewayName as name,
  POD_NAME,
  POD_NAME_PROBLEM,
} from './gateway.ts';

export const podName = z.string().regex(POD_NAME, POD_NAME_PROBLEM);
const pod = podName.optional().describe("The pod's name (default: the pod of the project, named by its id)");
const project = z.string().min(1).optional().describe('Project by id, name or absolute path');
const participant = name.optional().describe('Who you are there; only the local owner may choose');
const position = z.number().int().nonnegative();

/** An envelope as it is shown to a model: as it was sent, with its position. */
const shownEnvelope = z.object({ seq: z.number().int(), envelope: z.looseObject({}) });

export const podSendInput = z.object({
  pod,
  project,
  participant,
  kind: name.default('chat').describe('chat, reflection, conclusion, mcp/proposal:…, or your own'),
  text: z.string().min(1).optional().describe('What to say; becomes payload.text'),
  payload: z.record(z.string(), z.unknown()).optional().describe('The whole payload, instead of text'),
  context: contextSchema
    .extend({ id: name.optional().describe('Left out: a new context, whose id is answered') })
    .nullish()
    .describe('The sub-context that it belongs to; a new id begins one, a branch id means that branch'),
  correlation_id: name.optional().describe('The message or context that it follows from'),
  to: z.array(name).max(256).optional(),
  id: name.optional().describe('Makes a retry harmless (default: a new one)'),
});

export const podSendOutput = z.object({
  pod: z.string(),
  id: z.string(),
  context: z.string().optional().describe('The id of the context that it is in'),
  seq: z.number().int().describe('Its position, at which it is stored'),
});

export const podReadInput = z.object({
  pod,
  project,
  participant,
  since: position.optional().describe('After this position: what `next` said'),
  context: name.optional().describe('Of one context'),
  filter: filterPayload.optional().describe('As the gateway takes it: contexts, kinds, directed'),
  text: z.string().max(1000).optional().describe('With these words'),
  from: name.optional(),
  correlation_id: name.optional().describe('What refers to this message or context'),
  after_time: z.string().refine(isTimestamp, 'is not an RFC 3339 time').optional(),
  limit: z.number().int().min(1).max(200).default(20),
  wait_seconds: z
    .number()
    .min(0)
    .max(30)
    .default(0)
    .describe('Wait this long for the first message, if there is none'),
});

export const podReadOutput = z.object({
  pod: z.string(),
  messages: z.array(shownEnvelope),
  next: position.describe('Give this as since to go on'),
  more: z.boolean().describe('Whether there is more already'),
});

const contextNode: z.ZodType = z.looseObject({ id: z.string() });

export const podContextsInput = z.object({
  pod,
  project,
  id: name
    .optional()
    .describe('Look for this context in all pods that are open to you, with what refers to it'),
  live: z.boolean().default(false).describe('Only those that are in use'),
});

export const podContextsOutput = z.object({
  pod: z.string().optional(),
  contexts: z.array(contextNode),
  linked: z.array(shownEnvelope.extend({ pod: z.string() })).optional(),
});

/** `gateway/resolve`: where a correlation id leads to. */
export const resolvePayload = z.strictObject({ id: name });
