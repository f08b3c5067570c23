import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { parseArguments, refuseUnknown } from '../../call/arguments.ts';
import { type Clock, isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/formats/json.ts';
import { type BodyServices, readWithin } from '../../mcp/transports/body.ts';
import type { Authenticator } from '../../trust/identity/authenticator.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { SCOPES } from '../../trust/identity/events.ts';
import { STRANGER } from '../access/unauthenticated-budget.ts';
import { accepts } from '../requests.ts';
import { pageRefusal, type TokenCookies } from './cookies.ts';

const BODY_BYTES = 16 * 1024;

export const signInInput = z.object({
  token: z.string().trim().min(1).max(BODY_BYTES),
  keep: z.boolean().default(false).describe('Have the browser keep it in a cookie that no script can read'),
});

export const signInOutput = z.object({
  principal: z.string(),
  organisation: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  expires_at: z.string().nullable(),
});

export const signOutOutput = z.object({ signed_out: z.literal(true) });

interface SignInServices extends BodyServices {
  clock: Clock;
  authenticator: Authenticator;
  cookies: TokenCookies;
  /** Answers who is unknown, at the pace of strangers. A page of another site may have caused it, and then it is on no record. */
  refuse(context: Context, error: unknown, isOnRecord: boolean): Promise<Response>;
}

/** Where a person says who they are. The token is checked like any other, and kept only on request. */
export function signInRoutes(services: SignInServices): Hono {
  const { authenticator, cookies, clock, limiter, refuse } = services;
  const app = new Hono();
  /** Otherwise a page of somebody else could sign its reader in as somebody else, or out. */
  const forged = (context: Context) => {
    const reason = pageRefusal(context.req.raw.headers);
    return reason === undefined ? undefined : refuse(context, new InfoldError('forbidden', reason), false);
  };
  app.post('/api/sign-in', accepts(), async (context) => {
    const refusal = forged(context);
    if (refusal) return refusal;
    const { headers } = context.req.raw;
    const { token, keep } = await readInput(services, context);
    let caller: Caller;
    try {
      caller = await authenticator.callerOf(token);
    } catch (error) {
      return refuse(context, withAdvice(error), true);
    }
    limiter.spend(caller, 'calls');
    const { principal, org, scopes, expiresAt } = caller;
    if (keep) {
      const expiresIn = expiresAt === null ? undefined : expiresAt - clock();
      context.header('Set-Cookie', cookies.keep(token, headers, expiresIn));
    }
    return context.json({
      principal,
      organisation: org,
      scopes: [...scopes],
      expires_at: expiresAt === null ? null : isoTime(expiresAt),
    } satisfies z.input<typeof signInOutput>);
  });
  // Also for who has no token any more.
  app.post('/api/sign-out', accepts(), async (context) => {
    const refusal = forged(context);
    if (refusal) return refusal;
    context.header('Set-Cookie', cookies.forget(context.req.raw.headers));
    return context.json({ signed_out: true } satisfies z.input<typeof signOutOutput>);
  });
  return app;
}

/** Nobody knows yet who sends it, so it may hold no more than a token. */
async function readInput(services: SignInServices, context: Context): Promise<z.output<typeof signInInput>> {
  const { held, config } = services;
  const request = context.req.raw;
  try {
    const { text } = await readWithin(request, BODY_BYTES, (part) => held.take(request, STRANGER, part));
    if (text === undefined)
      throw new InfoldError('too_large', `The request body is over the limit of ${BODY_BYTES} bytes`);
    const input = parseJson(text, config.limits);
    refuseUnknown(signInInput, input);
    return parseArguments({ name: 'sign-in', input: signInInput }, input) as z.output<typeof signInInput>;
  } finally {
    held.release(request);
  }
}

function withAdvice(error: unknown): unknown {
  if (!InfoldError.isInstance(error) || error.code !== 'unauthenticated') return error;
  return new InfoldError(
    'unauthenticated',
    `${error.message}. The operator can make one with "infold token create --name NAME"`,
  );
}
