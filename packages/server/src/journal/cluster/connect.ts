import { readFileSync } from 'node:fs';
import type { Authenticator, ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { addressesIn, maskedAddresses, type NatsConfig, natsUser } from '../../kernel/nats-config.ts';

/** How long one server may take to answer before the next one is tried. */
const ANSWERS_WITHIN = 5000;
const RECONNECT_WAIT = 250;
/** A server that stopped without closing its connections is given up after two of these. */
const PING_INTERVAL = 3000;

/**
 * Connects to the first server that answers, and from then on to another one whenever a connection breaks, without end.
 * Files are read again for each connection, so that credentials can be replaced while this runs.
 */
export async function connectToNats(
  settings: NatsConfig,
  { name }: { name: string },
): Promise<NatsConnection> {
  const { url } = settings;
  if (url === undefined) throw new InfoldError('invalid_arguments', 'Say where NATS is: set nats.url');
  const nats = await import('@nats-io/transport-node');
  try {
    return await nats.connect({
      name,
      // Not as configured: the client would read a port out of a password.
      servers: addressesIn(url).map((address) => new URL(address).host),
      ...(tlsOf(settings) && { tls: tlsOf(settings) }),
      ...identityOf(settings, nats),
      timeout: ANSWERS_WITHIN,
      maxReconnectAttempts: -1,
      // A stack for each request costs a fifth of publishing it.
      noAsyncTraces: true,
      reconnectTimeWait: RECONNECT_WAIT,
      pingInterval: PING_INTERVAL,
      ignoreAuthErrorAbort: true,
    } as ConnectionOptions);
  } catch (error) {
    throw InfoldError.isInstance(error) ? error : refusalOf(error, settings, nats.errors);
  }
}

type Nats = typeof import('@nats-io/transport-node');

function identityOf(
  { url, creds, nkey }: NatsConfig,
  { credsAuthenticator, nkeyAuthenticator }: Nats,
): { authenticator?: Authenticator } | { user: string; pass: string } | { token: string } {
  if (creds !== undefined) {
    const read = rereading('nats.creds', creds, (content) => {
      credsAuthenticator(content)('nonce');
      return content;
    });
    return { authenticator: credsAuthenticator(read) };
  }
  if (nkey !== undefined) {
    const read = rereading('nats.nkey', nkey, (content) => {
      // Tools write a line's end behind it, or comments around it.
      const seed = /\bSU[A-Z2-7]{56}\b/.exec(new TextDecoder().decode(content))?.[0] ?? '';
      const bytes = new TextEncoder().encode(seed);
      nkeyAuthenticator(bytes)('nonce');
      return bytes;
    });
    return { authenticator: nkeyAuthenticator(read) };
  }
  const user = natsUser(url!);
  if (!user) return {};
  return user.password === undefined ? { token: user.name } : { user: user.name, pass: user.password };
}

/** The file as it is now; as it last was, while it cannot be read: throwing then would end the connection for good. */
function rereading(key: string, path: string, check: (content: Uint8Array) => Uint8Array): () => Uint8Array {
  const read = () => check(readFileSync(path));
  let known: Uint8Array;
  try {
    known = read();
  } catch (error) {
    // Of what the file holds nothing is told.
    const isMissing = error instanceof Error && 'syscall' in error;
    const reason = isMissing
      ? messageOf(error)
      : `${path} holds ${key === 'nats.creds' ? 'no credentials' : 'no seed of a user'}`;
    throw new InfoldError('invalid_arguments', `Cannot use the file of ${key}: ${reason}`);
  }
  return () => {
    try {
      known = read();
    } catch {
      // See above.
    }
    return known;
  };
}

function tlsOf({ url, tls }: NatsConfig): ConnectionOptions['tls'] | undefined {
  if (tls === undefined) {
    return addressesIn(url!).some((address) => new URL(address).protocol === 'tls:') ? {} : undefined;
  }
  for (const [name, path] of Object.entries(tls)) {
    try {
      if (path !== undefined) readFileSync(path);
    } catch (error) {
      const message = `Cannot use the file of nats.tls.${name}: ${messageOf(error)}`;
      throw new InfoldError('invalid_arguments', message);
    }
  }
  const { ca, cert, key } = tls;
  return { ...(ca && { caFile: ca }), ...(cert && { certFile: cert }), ...(key && { keyFile: key }) };
}

function refusalOf(error: unknown, settings: NatsConfig, errors: Nats['errors']): InfoldError {
  const where = maskedAddresses(settings.url!);
  const reason = messageOf(error);
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    return new InfoldError('forbidden', `NATS at ${where} refuses us (${reason}): ${adviceFor(settings)}`);
  }
  const isTls = /certificate|tls|ssl|altname/i.test(`${reason} ${(error as { code?: string }).code ?? ''}`);
  if (isTls) {
    const message = `No safe connection to NATS at ${where}: ${reason}. Check nats.tls`;
    return new InfoldError('unavailable', message);
  }
  const message = `No NATS server answers at ${where} (${reason}). Start it, or correct nats.url`;
  return new InfoldError('unavailable', message, { retryable: true, retryAfter: 1 });
}

function adviceFor({ url, creds, nkey }: NatsConfig): string {
  if (creds !== undefined) return `check the credentials in ${creds}`;
  if (nkey !== undefined) return `check that the server knows the key of ${nkey}`;
  return natsUser(url!)
    ? 'check the user and password in nats.url'
    : 'name a user in nats.url, or set nats.creds or nats.nkey';
}
