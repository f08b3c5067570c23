import { z } from 'zod';
import { projectSpec } from './shape.ts';

/** What `GET /api/events` takes. */
export const eventsInput = z.object({
  since: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'The position after which to begin; by default with what comes. `Last-Event-ID` goes before it',
    ),
  session: z.string().min(1).max(128).optional().describe('Only of this session of the caller’s'),
  project: projectSpec.describe('Only of this project: id, name or absolute path'),
  pod: z.string().min(1).max(128).optional().describe('Only of this pod'),
  brief: z
    .boolean()
    .optional()
    .describe('Without what calls were given and answered, and with texts cut at 1,000 characters'),
});

/** The data of one server-sent event: an entry of the journal, as far as the caller may read it. */
export const journalEntry = z.object({
  seq: z.number().int(),
  id: z.string(),
  at: z.string(),
  /** `session`, `library`, `memory`, `pod`, `access` or `window`. */
  kind: z.string(),
  /** Of the kind `session`: which one. */
  session_id: z.string().optional(),
  /** Where it is not the caller's own: only of what was written for others with its writer's name. */
  actor: z.object({ org: z.string(), principal: z.string(), agent: z.string().optional() }).optional(),
  events: z.array(
    z.object({
      type: z.string(),
      data: z.unknown(),
      place: z
        .number()
        .int()
        .optional()
        .describe('In brief entries: where it stands in the whole one, as in the handle op_<seq>_<place>'),
    }),
  ),
});
export type JournalEntry = z.infer<typeof journalEntry>;
