import { z } from 'zod';

export const statusOutput = z.object({
  version: z.string(),
  organisation: z.string(),
  principal: z.string(),
  scopes: z.array(z.string()),
  project: z.object({
    id: z.string(),
    name: z.string(),
    path: z.string().nullable(),
    hash: z.string(),
    workspace_id: z.string(),
  }),
  session: z
    .object({ id: z.string(), host_id: z.string().nullable(), last_at: z.string(), expires_at: z.string() })
    .nullable(),
  doors: z.array(z.object({ name: z.string(), tools: z.array(z.string()) })),
  limits: z.record(z.string(), z.number()),
});
export type StatusOutput = z.infer<typeof statusOutput>;
