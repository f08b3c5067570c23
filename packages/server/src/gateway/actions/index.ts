import type { Action } from '../../call/action.ts';
import { listPodContexts, readPodContext, resolve } from './contexts.ts';
import { listPodMessages, searchPodMessages } from './messages.ts';
import { listPodParticipants, listPods, readPodPolicy } from './pods.ts';

/** What is served over HTTP beside the tools. */
export const gatewayActions: readonly Action[] = [
  listPods,
  listPodParticipants,
  readPodPolicy,
  listPodContexts,
  readPodContext,
  listPodMessages,
  searchPodMessages,
  resolve,
];
