export type {
  ContextPayload,
  Envelope,
  EnvelopeContext,
  GapPayload,
  GatewayErrorCode,
  GatewayFilter,
  Participant,
  PresencePayload,
  ReplayRequest,
  StoredPayload,
  WelcomePayload,
} from '@infold/protocol';
export { CLOSE_CODES, compileCapabilities } from '@infold/protocol/gateway-wire';
export { connectPod, type PodConnection } from './connection.ts';
export { type ContextOptions, PodContext, type SendOptions } from './context.ts';
export type { PodEvents } from './events.ts';
export {
  conclusionsOnly,
  contextParents,
  type Filterable,
  mainOnly,
  matchesFilter,
  ofContext,
  withTypes,
} from './filters.ts';
export { newId } from './ids.ts';
export { kindMatchesPayload, type McpKind, parseMcpKind } from './kinds.ts';
export { describeMessage, type PromptMessage, type PromptOptions, promptMessages } from './prompt.ts';
export type { WebSocketConstructor, WebSocketLike } from './socket.ts';
export { PodError, type PodOptions, type Replayed } from './types.ts';
