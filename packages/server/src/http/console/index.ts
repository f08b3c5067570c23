import { fileURLToPath } from 'node:url';
import type { MiddlewareHandler } from 'hono';
import { builtFile } from '../../kernel/built-files.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { errorResponse } from '../errors.ts';
import { type ConsoleFile, ConsoleFiles, SHELL } from './files.ts';

/**
 * The page runs its own scripts and styles, speaks with this server alone, is framed by nobody, and makes no markup of
 * text: what agents wrote stays text.
 */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONSOLE_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Assets are named after what is in them. */
const ASSET_CACHE = 'public, max-age=31536000, immutable';
const SHELL_CACHE = 'no-cache';

/** Addresses that are no page of the console. */
const RESERVED = [
  ...['/api', '/mcp', '/ws', '/model', '/hooks', '/assets'],
  ...['/healthz', '/readyz', '/metrics', '/.well-known'],
];

const NOT_BUILT = `The console is not built. Run "npm run build" where Infold's sources are, and load this page again.

Programs can ask what this server is and how to connect to it with "Accept: application/json".
`;

export const BUILT_CONSOLE = fileURLToPath(builtFile('console'));

/**
 * The console's page and its files, for whoever asks: they hold no data. Every address that is nobody else's is a place
 * in the console, and is answered by the same page.
 */
export function serveConsole(folder: string = BUILT_CONSOLE): MiddlewareHandler {
  const files = new ConsoleFiles(folder);
  return async ({ req }, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    if (isWithin(req.path, '/assets')) {
      const asset = files.find(req.path);
      return asset ? answerFile(req.raw, asset, ASSET_CACHE) : errorResponse(noAsset());
    }
    if (!acceptsHtml(req.header('accept')) || RESERVED.some((prefix) => isWithin(req.path, prefix)))
      return next();
    const shell = files.find(SHELL);
    return shell ? answerFile(req.raw, shell, SHELL_CACHE) : notBuilt();
  };
}

function noAsset(): InfoldError {
  return new InfoldError('not_found', 'The console has no such file; reload its page');
}

function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function answerFile({ headers }: Request, { type, plain, gzip }: ConsoleFile, cache: string): Response {
  const isCompressed = gzip !== undefined && acceptsGzip(headers.get('accept-encoding'));
  const { body, tag } = isCompressed ? gzip : plain;
  const told = { ...HEADERS, 'Cache-Control': cache, ETag: tag, Vary: 'Accept, Accept-Encoding' };
  if (isHeld(headers.get('if-none-match'), tag)) return new Response(null, { status: 304, headers: told });
  return new Response(body, {
    headers: {
      ...told,
      'Content-Type': type,
      'Content-Length': String(body.byteLength),
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    },
  });
}

function notBuilt(): Response {
  return new Response(NOT_BUILT, {
    status: 503,
    headers: { ...HEADERS, 'Cache-Control': 'no-store', 'Content-Type': 'text/plain; charset=utf-8' },
  });
}

function acceptsHtml(accept = ''): boolean {
  return /\btext\/html\b/.test(accept);
}

function acceptsGzip(encodings: string | null): boolean {
  return (encodings ?? '').split(',').some((one) => {
    const [name, weight = ''] = one.split(';').map((part) => part.trim().toLowerCase());
    return (name === 'gzip' || name === '*') && !/^q=0(\.0*)?$/.test(weight);
  });
}

function isHeld(tags: string | null, tag: string): boolean {
  return (tags ?? '').split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));
}
