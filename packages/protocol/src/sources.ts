import { z } from 'zod';

/** What a tool that can use up results takes: any of them can be the consumer that a workflow names. */
export const sources = z
  .array(z.string().max(128))
  .max(200)
  .optional()
  .describe('Handles of results that you are done with; they may then be collapsed');
