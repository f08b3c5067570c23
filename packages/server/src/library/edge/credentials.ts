import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { isHubUrl } from '../../kernel/hub-config.ts';
import { keepPrivate, replacePrivateFile } from '../../kernel/private-files.ts';

/** Where the hub is, and what opens it. */
export interface Credentials {
  url: string;
  token: string | undefined;
  /** There is a token, and it is not sent there. */
  isKeptBack?: boolean;
}

const kept = z.object({ url: z.string(), token: z.string().optional() });

const fileIn = (data: string) => join(data, 'hub.json');

/**
 * What `hub join` kept, unless the configuration says something else. A token is for the hub that it was kept for; one from the
 * environment does not go where a file in the working folder points, unless that was joined.
 */
export function credentialsIn({ data, hub }: Pick<Config, 'data' | 'hub'>): Credentials | undefined {
  const file = readKept(data);
  const url = hub.url ?? file?.url;
  if (url === undefined) return undefined;
  const isKnown = file !== undefined && isSame(file.url, url);
  const isKeptBack = hub.isForeignUrl && !isKnown && hub.token !== undefined;
  const token = isKeptBack ? undefined : (hub.token ?? (isKnown ? file.token : undefined));
  return { url: plainUrl(url), token, isKeptBack };
}

function readKept(data: string): z.infer<typeof kept> | undefined {
  const path = fileIn(data);
  if (!existsSync(path)) return undefined;
  keepPrivate(path);
  try {
    return kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${path} cannot be read; run "infold hub join" again`, {
      cause: error,
    });
  }
}

export function keepCredentials(data: string, { url, token }: Credentials): void {
  replacePrivateFile(fileIn(data), `${JSON.stringify({ url, token }, null, 2)}\n`);
}

export function forgetCredentials(data: string): void {
  rmSync(fileIn(data), { force: true });
}

/** Without what may stand at its end, so that an address is written in one way. */
export function plainUrl(text: string): string {
  if (!isHubUrl(text)) {
    throw new InfoldError('invalid_arguments', 'A hub is written as https://host or http://127.0.0.1:9090');
  }
  return new URL(text).href.replace(/\/+$/, '');
}

function isSame(one: string, other: string): boolean {
  return isHubUrl(one) && plainUrl(one) === plainUrl(other);
}

/** How people call it: in the names of those who review there. */
export function hubName(url: string): string {
  return new URL(url).host;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Who listens on the way would have the token. */
export function refuseOpenWay(url: string, { insecure }: Config['hub']): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || insecure || LOOPBACK.test(hostname)) return;
  throw new InfoldError(
    'invalid_arguments',
    `${url} would be sent the token unencrypted: use https, or set hub.insecure (INFOLD_HUB_INSECURE=true) where the way is protected otherwise`,
  );
}
