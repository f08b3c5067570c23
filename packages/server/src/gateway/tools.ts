import type { ToolDefinition } from '../call/tool.ts';
import { contexts } from './actions/contexts.ts';
import { read } from './actions/read.ts';
import { send } from './actions/send.ts';

/** Participation for an agent whose host speaks MCP alone. */
export const gatewayTools: readonly ToolDefinition[] = [
  {
    action: send,
    title: 'Say something in a pod',
    description:
      'Broadcast a message to everyone in a pod. Put reasoning in a context of its own, and end it with kind "conclusion".',
    searchHint: 'message other agents or people, chat, share, ask the team',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  {
    action: read,
    title: 'Read what was said in a pod',
    description:
      'Messages of a pod after a position, oldest first. Go on with since = next; wait_seconds listens.',
    searchHint: 'what other agents or people said, chat history, wait for an answer',
    annotations: { readOnlyHint: true },
  },
  {
    action: contexts,
    title: 'See the contexts of a pod',
    description:
      "The tree of a pod's sub-contexts, branches among them, with figures and summaries; or, by id, where a context is.",
    searchHint: 'discussions and reasoning of other agents, who works on what',
    annotations: { readOnlyHint: true },
  },
];
