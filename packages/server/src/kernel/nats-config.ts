import { dirname, resolve } from 'node:path';
import { z } from 'zod';

export interface NatsTls {
  /** File with the certificates of those who may sign the servers' certificates. */
  ca?: string | undefined;
  /** Files of this client's own certificate and of its key. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** Where the NATS servers of a cluster are, and as whom to connect. Without `url` there is no cluster. */
export interface NatsConfig {
  /** One address or several, separated by commas. A user and password, or a token, may stand in it. */
  url: string | undefined;
  /** File with credentials: a JWT and its seed. */
  creds: string | undefined;
  /** File with the seed of an NKey. */
  nkey: string | undefined;
  tls: NatsTls | undefined;
  /** On how many servers everything is kept. Undefined: on 3 where the NATS cluster has as many, else on 1. */
  replicas: number | undefined;
}

export const NATS_KEYS = ['url', 'creds', 'nkey', 'tls', 'replicas'] as const;
export const NATS_TLS_KEYS = ['ca', 'cert', 'key'] as const;

const file = z.string().min(1);

// No message may repeat an address: a password may stand in it.
export const natsSchema = z.strictObject({
  url: z
    .string()
    .refine(
      (text) => addressesIn(text).length > 0 && addressesIn(text).every(isAddress),
      'a NATS server is written as nats://host:4222 or tls://host:4222, several of them separated by commas; special characters of a password are percent-encoded',
    )
    .refine(
      (text) => new Set(addressesIn(text).filter(isAddress).flatMap(userIn)).size <= 1,
      'all addresses must name the same user and password',
    )
    .optional(),
  creds: file.optional(),
  nkey: file.optional(),
  tls: z
    .strictObject({ ca: file.optional(), cert: file.optional(), key: file.optional() })
    .refine(
      ({ cert, key }) => (cert === undefined) === (key === undefined),
      'a certificate needs its key, and a key its certificate',
    )
    .optional(),
  replicas: z
    .number()
    .int()
    .refine(
      (count) => [1, 3, 5].includes(count),
      'must be 1, 3 or 5: an even number survives no more failures',
    )
    .optional(),
});
type NatsInput = z.infer<typeof natsSchema>;

export function natsDefaults(): NatsConfig {
  return { url: undefined, creds: undefined, nkey: undefined, tls: undefined, replicas: undefined };
}

/** What is wrong with values that came from different places, each of which was right. */
export function natsTrouble({ url, creds, nkey }: NatsConfig): string | undefined {
  const ways = [
    ...(creds === undefined ? [] : ['nats.creds']),
    ...(nkey === undefined ? [] : ['nats.nkey']),
    ...(url !== undefined && natsUser(url) ? ['a user in nats.url'] : []),
  ];
  return ways.length > 1 ? `${ways.join(' and ')} cannot be used together: keep one of them` : undefined;
}

/** Its files are beside the file that names them, as those of sources are. */
export function natsBesideFile(nats: NatsInput, configFile: string): NatsInput {
  const beside = (path: string | undefined) => path && resolve(dirname(configFile), path);
  const { creds, nkey, tls } = nats;
  return {
    ...nats,
    ...(creds && { creds: beside(creds) }),
    ...(nkey && { nkey: beside(nkey) }),
    ...(tls && { tls: { ca: beside(tls.ca), cert: beside(tls.cert), key: beside(tls.key) } }),
  };
}

export function addressesIn(url: string): string[] {
  return url
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
}

/** The addresses as anybody may read them: who connects, and with what, is left out. */
export function maskedAddresses(url: string): string {
  return addressesIn(url)
    .map((address) => address.replace(/^([a-z]+:\/\/)?.*@/is, '$1***@'))
    .join(',');
}

/** What stands before the `@` of an address: a user and password, or a token. */
export function natsUser(url: string): { name: string; password: string | undefined } | undefined {
  const named = addressesIn(url).find((address) => new URL(address).username !== '');
  if (named === undefined) return undefined;
  const { username, password } = new URL(named);
  return {
    name: decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
  };
}

function userIn(address: string): string[] {
  const { username, password } = new URL(address);
  return username === '' ? [] : [`${username}:${password}`];
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  const isPlain = ['', '/'].includes(pathname) && search === '' && hash === '';
  return (
    ['nats:', 'tls:'].includes(protocol) &&
    hostname !== '' &&
    isPlain &&
    [username, password].every(isEncoded)
  );
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
