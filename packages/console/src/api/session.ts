import { type Api, ApiError, createApi } from '@infold/client/api';

/** How this page asks the server: with the token that somebody signed in with, or as whoever the browser's cookie says. */
export interface Session {
  readonly api: Api;
  /** Kept in memory alone: a reload forgets it. */
  readonly token: string | undefined;
  /** Headers of requests that the API has no method for, such as MCP's. */
  readonly headers: Readonly<Record<string, string>>;
  /** `fetch` with those headers, to this server alone. */
  readonly fetch: typeof fetch;
}

/** Our own mark: a page of another origin cannot send it, so that the cookie alone changes nothing. */
const MARK = { 'X-Infold-Console': '1' };

export function createSession(token: string | undefined, onSignedOut: () => void): Session {
  const headers = { ...MARK, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  const send: typeof fetch = async (input, init) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await fetch(input, { ...init, headers: all, credentials: 'same-origin' });
    if (response.status === 401) onSignedOut();
    return response;
  };
  return { api: createApi({ url: location.origin, fetch: send }), token, headers, fetch: send };
}

/** How `/model/…` knows this page: `Authorization` is the provider's there, and our token must not reach it. */
export function modelHeaders({ token }: Session): Record<string, string> {
  return { ...MARK, ...(token !== undefined && { 'X-Infold-Token': token }) };
}

/** Checks a token, and with `keep` has the browser hold it in a cookie that no script can read. */
export async function signIn(token: string, keep: boolean): Promise<void> {
  await post('/api/sign-in', { token, keep });
}

export async function signOut(): Promise<void> {
  await post('/api/sign-out', {});
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...MARK, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
}
