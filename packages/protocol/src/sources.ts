import { z } from 'zod';

/** Input of every tool that a workflow can name as a consumer of results. */
export const sources = z
  .array(z.string().max(128))
  .max(200)
  .optional()
  .describe('Handles of results that you are done with; they may then be collapsed');
