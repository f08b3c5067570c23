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
export { connectPod, type PodConnection } from './gateway/connection.ts';
export { type ContextOptions, PodContext, type SendOptions } from './gateway/context.ts';
export type { PodEvents } from './gateway/events.ts';
export {
  conclusionsOnly,
  contextParents,
  type Filterable,
  mainOnly,
  matchesFilter,
  ofContext,
  withTypes,
} from './gateway/filters.ts';
export { kindMatchesPayload, type McpKind, parseMcpKind } from './gateway/kinds.ts';
export { describeMessage, type PromptMessage, type PromptOptions, promptMessages } from './gateway/prompt.ts';
export type { WebSocketConstructor, WebSocketLike } from './gateway/socket.ts';
export { PodError, type PodOptions, type Replayed } from './gateway/types.ts';
