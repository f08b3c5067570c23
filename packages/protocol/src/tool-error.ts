import { z } from 'zod';

/**
 * The structured content of a failed call. Every output schema accepts it, because some clients validate error results
 * against the tool's output schema too.
 */
export const toolError = z.looseObject({
  error: z.string(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfter: z.number().optional(),
});
export type ToolError = z.infer<typeof toolError>;
