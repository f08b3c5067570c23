import { z } from 'zod';
import { ROUTES } from '../routes.ts';
import { describeAction, next } from './shape.ts';

export const orgName = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Organisation (default: the caller’s own)');

export const projectView = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().nullable(),
  hash: z.string(),
  workspace_id: z.string(),
});

export const systemApi = {
  listProjects: describeAction({
    name: 'listProjects',
    door: 'system',
    summary: 'The projects that are open to the caller.',
    scope: 'read',
    input: z.object({ org: orgName }),
    output: z.object({ projects: z.array(projectView), next }),
    route: ROUTES.listProjects,
  }),
};
