import { z } from 'zod';
import { projectSpec } from './shape.ts';

/** The query of `GET /api/events`. */
export const eventsInput = z.object({
  since: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Start after this position (default: new entries only). `Last-Event-ID` takes precedence'),
  session: z.string().min(1).max(128).optional().describe('Only this session of the caller'),
  project: projectSpec.describe('Only this project: id, name or absolute path'),
  pod: z.string().min(1).max(128).optional().describe('Only this pod'),
  brief: z
    .boolean()
    .optional()
    .describe('Without inputs and outputs of calls, and with texts cut at 1,000 characters'),
});

/** The data of one server-sent event: an entry of the journal, as far as the caller may read it. */
export const journalEntry = z.object({
  seq: z.number().int(),
  id: z.string(),
  at: z.string(),
  /** `session`, `library`, `memory`, `pod`, `access`, `window`, `hub` or `webhook`. */
  kind: z.string(),
  /** The session, for the kind `session`. */
  session_id: z.string().optional(),
  /** Present where the caller did not write the entry, and its writer's name is meant for others. */
  actor: z.object({ org: z.string(), principal: z.string(), agent: z.string().optional() }).optional(),
  events: z.array(
    z.object({
      type: z.string(),
      data: z.unknown(),
      place: z
        .number()
        .int()
        .optional()
        .describe('In brief entries: its index in the whole entry, as in the handle op_<seq>_<place>'),
    }),
  ),
});
export type JournalEntry = z.infer<typeof journalEntry>;
