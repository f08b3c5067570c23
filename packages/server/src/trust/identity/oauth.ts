import { z } from 'zod';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import type { Caller } from './caller.ts';
import { SCOPES, type Scope } from './events.ts';
import { isIdentity } from './names.ts';

/** Infold as a resource server: tokens of somebody else's issuer are checked, never made. */
export const oauthConfig = z.strictObject({
  issuer: z.url(),
  audience: z.string().min(1),
  jwks: z.url(),
  /** The claim that names the organisation. */
  orgClaim: z.string().min(1).default('org'),
  /** Claims of the projects (ids) and the gateway capabilities that a token opens, where the issuer sends them. */
  projectsClaim: z.string().min(1).default('projects'),
});
export type OauthConfig = z.infer<typeof oauthConfig>;

export function parseOauthConfig(value: unknown): OauthConfig | undefined {
  if (value === undefined) return undefined;
  const parsed = oauthConfig.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new InfoldError(
    'invalid_arguments',
    `Bad configuration: "oauth.${issue.path.join('.')}": ${issue.message}`,
  );
}

export type JwtVerifier = (token: string) => Promise<Caller>;

/** Keys are fetched from the issuer when a token first needs them, and kept as long as it says. */
export async function createJwtVerifier(config: OauthConfig): Promise<JwtVerifier> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose');
  const keys = createRemoteJWKSet(new URL(config.jwks), { timeoutDuration: 5000 });
  return async (token) => {
    let claims: Record<string, unknown>;
    try {
      const { issuer, audience } = config;
      claims = (await jwtVerify(token, keys, { issuer, audience, requiredClaims: ['sub', 'exp'] })).payload;
    } catch (error) {
      throw new InfoldError('unauthenticated', `The bearer token is not valid: ${messageOf(error)}`, {
        cause: error,
      });
    }
    return callerFromClaims(claims, config);
  };
}

export function callerFromClaims(claims: Record<string, unknown>, config: OauthConfig): Caller {
  const org = claims[config.orgClaim];
  if (typeof org !== 'string' || org === '') {
    throw new InfoldError('organization_required', 'Organization context required');
  }
  const principal = String(claims.sub);
  if (!isIdentity(org, principal)) {
    throw new InfoldError(
      'unauthenticated',
      'The organisation or the subject of the bearer token is not a name that can be used here',
    );
  }
  const projects = claims[config.projectsClaim];
  return {
    org,
    principal,
    scopes: scopesOf(claims.scope ?? claims.scp),
    projects: Array.isArray(projects) ? projects.map(String) : null,
    capabilities: ['*'],
    tokenId: null,
    expiresAt: typeof claims.exp === 'number' ? claims.exp * 1000 : null,
    actor: { org, principal },
  };
}

/** `infold:read` or plain `read`; scopes of other services are not ours. */
function scopesOf(claim: unknown): Scope[] {
  const names = Array.isArray(claim) ? claim.map(String) : String(claim ?? '').split(' ');
  const plain = names.map((name) => name.replace(/^infold:/, ''));
  return SCOPES.filter((scope) => plain.includes(scope));
}

/** A JSON Web Token has three parts; ours begin with a prefix and have none. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}
