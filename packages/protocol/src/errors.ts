/** Error codes that any door can answer with. Doors define their own beside their schemas. */
export const ERROR_CODES = [
  'invalid_arguments',
  'unknown_tool',
  'unauthenticated',
  'forbidden',
  'organization_required',
  'project_denied',
  'project_not_found',
  'session_not_found',
  'session_required',
  'not_found',
  'conflict',
  'too_large',
  'rate_limited',
  'cancelled',
  'unsupported',
  'unsupported_type',
  'journal_busy',
  'unavailable',
  'disk_full',
  'storage_failed',
  'storage_read_only',
  'storage_newer',
  'storage_invalid',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** JSON-RPC error codes that Infold itself answers with. The fold protocol defines those of the fold door. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  contextLimitExceeded: -32001,
  invalidBranchState: -32003,
} as const;
