import type { ServerResponse } from 'node:http';
import { errorBody, type InfoldError } from '../../kernel/errors.ts';
import type { Family } from '../../kernel/window-config.ts';
import { statusOf } from '../errors.ts';

/** What each provider calls an error of a status, where its clients look at the name. */
const ANTHROPIC: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
};
const GEMINI: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
};

/** An error of ours as the provider would write it: a host shows its user what it can read. */
export function errorIn(family: Family | undefined, error: InfoldError): { status: number; body: unknown } {
  const status = statusOf(error);
  const { message, code } = error;
  switch (family) {
    case 'anthropic':
      return { status, body: { type: 'error', error: { type: ANTHROPIC[status] ?? 'api_error', message } } };
    case 'openai': {
      const type = status < 500 ? 'invalid_request_error' : 'server_error';
      return { status, body: { error: { message, type, param: null, code } } };
    }
    case 'gemini':
      return { status, body: { error: { code: status, message, status: GEMINI[status] ?? 'UNAVAILABLE' } } };
    default:
      return { status, body: errorBody(error) };
  }
}

/** Answers an error; what was not read of the request is not read, and its connection ends. */
export function sendError(response: ServerResponse, family: Family | undefined, error: InfoldError): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, body } = errorIn(family, error);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    ...(response.req.complete ? {} : { Connection: 'close' }),
  });
  response.end(text);
}
