import type { ToolDefinition } from '../call/tool.ts';
import { status } from './actions/status.ts';

export const systemTools: readonly ToolDefinition[] = [
  {
    action: status,
    title: 'What Infold offers here',
    description:
      'Show the project and session that calls belong to, the doors and their tools, and the limits.',
    searchHint: 'which project, session, tools and limits; what can Infold do',
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
];
