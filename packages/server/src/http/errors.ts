import { errorBody, type InfoldError } from '../kernel/errors.ts';

const STATUS: Record<string, number> = {
  invalid_arguments: 400,
  unauthenticated: 401,
  forbidden: 403,
  project_denied: 403,
  organization_required: 403,
  not_found: 404,
  project_not_found: 404,
  session_not_found: 404,
  branch_not_found: 404,
  invalid_branch_state: 409,
  conflict: 409,
  unsafe_path: 400,
  secret_identifier: 400,
  invalid_content: 422,
  file_not_found: 404,
  draft_not_found: 404,
  draft_exists: 409,
  draft_state: 409,
  several_drafts: 409,
  path_taken: 409,
  position_mismatch: 409,
  history_changed: 409,
  hub_invalid: 502,
  hub_unreachable: 502,
  hub_refused: 502,
  too_large: 413,
  unsupported_type: 415,
  no_websocket: 426,
  rate_limited: 429,
  upstream_unreachable: 502,
  source_invalid: 502,
  source_unavailable: 503,
  source_indexing: 503,
  source_timeout: 504,
  journal_busy: 503,
  unavailable: 503,
  disk_full: 507,
  storage_failed: 503,
  not_stored: 503,
};

export function statusOf({ code }: InfoldError): number {
  return STATUS[code] ?? 500;
}

/** REST errors: `{error, code, retryable, …}` with the status that fits. */
export function errorResponse(error: InfoldError, metadata?: string): Response {
  const status = statusOf(error);
  const headers = new Headers();
  if (status === 401) {
    const where = metadata === undefined ? '' : `, resource_metadata="${metadata}"`;
    headers.set('WWW-Authenticate', `Bearer realm="infold"${where}`);
  }
  if (error.retryAfter !== undefined) headers.set('Retry-After', String(error.retryAfter));
  return Response.json(errorBody(error), { status, headers });
}
