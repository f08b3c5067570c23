import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { WEBHOOK_EVENTS, WEBHOOK_GROUPS, type WebhookEventName } from '@infold/protocol';
import { z } from 'zod';
import { InfoldError } from './errors.ts';
import { isForbiddenAddress } from './forbidden-addresses.ts';
import { digestHex } from './ids.ts';

/** Somebody who is told what happens in libraries. */
export interface WebhookConfig {
  /** Follows from the name: a webhook keeps what it has been sent when its address or its secret changes. */
  id: string;
  name: string;
  url: string;
  secret: string | undefined;
  /** Read with each delivery, so that it can be replaced. */
  secretFile: string | undefined;
  events: WebhookEventName[];
  /** Ids, names or paths; undefined for all. */
  projects: string[] | undefined;
  /** Whether comments, and the notes of decisions and publications, are sent too. */
  comments: boolean;
  /** Where the console is, for links; undefined for the address that this server is configured to have. */
  console: string | undefined;
}

const SHORTEST_SECRET = 16;
const MOST_WEBHOOKS = 50;

const event = z.enum([...WEBHOOK_EVENTS, ...WEBHOOK_GROUPS, '*']);

// No message may repeat a value: an address can be a secret too.
const webhookSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name is up to 64 letters, digits, dots, dashes and "_"')
    .optional(),
  url: z
    .string()
    .refine(isReceiver, 'a receiver is written as https://host/path, without a user and without "#"')
    .refine(
      (text) => !isReceiver(text) || !isForbiddenAddress(new URL(text).hostname),
      'addresses of this link (169.254.0.0/16, fe80::/10), of metadata services and of nobody are not sent to',
    ),
  secret: z.string().min(SHORTEST_SECRET, `a secret has at least ${SHORTEST_SECRET} characters`).optional(),
  secretFile: z.string().min(1).optional(),
  events: z.array(event).min(1, 'name at least one event, or leave it out for all').optional(),
  projects: z.array(z.string().min(1)).min(1, 'name at least one, or leave it out for all').optional(),
  comments: z.boolean().optional(),
  console: z.string().refine(isReceiver, 'the console is written as https://host').optional(),
});
type WebhookInput = z.infer<typeof webhookSchema>;

export const webhooksSchema = z
  .array(webhookSchema)
  .max(MOST_WEBHOOKS)
  .superRefine((webhooks, context) => {
    const names = webhooks.map(nameOf);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      context.addIssue({
        code: 'custom',
        path: [index, 'name'],
        message: `another webhook is called "${name}" too: give each a name`,
      });
    }
  });
export type WebhooksInput = z.infer<typeof webhooksSchema>;

/** As they are used. A secret in the environment wins, and is better kept there. */
export function webhooksOf(given: WebhooksInput, environment: NodeJS.ProcessEnv): WebhookConfig[] {
  return given.map((webhook) => {
    const name = nameOf(webhook);
    const told = environment[secretVariable(name)] || undefined;
    return {
      id: `wh_${digestHex(16, 'webhook', name)}`,
      ...{ name, url: new URL(webhook.url).href },
      secret: told ?? webhook.secret,
      secretFile: told === undefined && webhook.secret === undefined ? webhook.secretFile : undefined,
      events: eventsOf(webhook.events ?? ['*']),
      projects: webhook.projects,
      comments: webhook.comments ?? false,
      console: webhook.console?.replace(/\/+$/, ''),
    };
  });
}

/** Files are beside the file that names them. */
export function webhooksBesideFile(webhooks: WebhooksInput, configFile: string): WebhooksInput {
  return webhooks.map(({ secretFile, ...rest }) => ({
    ...rest,
    ...(secretFile && { secretFile: resolve(dirname(configFile), secretFile) }),
  }));
}

/** INFOLD_WEBHOOKS_CI_SECRET for the webhook "ci". */
export function secretVariable(name: string): string {
  return `INFOLD_WEBHOOKS_${name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}_SECRET`;
}

/** What deliveries are signed with. Only who sends needs it. */
export function webhookSecret({ name, secret, secretFile }: WebhookConfig): string {
  const found = secretFile === undefined ? secret : readSecret(name, secretFile);
  if (found === undefined) {
    throw unusable(name, `it has no secret: set ${secretVariable(name)}, "secretFile" or "secret"`);
  }
  if (found.length < SHORTEST_SECRET) {
    throw unusable(name, `its secret has fewer than ${SHORTEST_SECRET} characters`);
  }
  return found;
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(name, `its secret cannot be read from ${path} (${code})`);
  }
}

function unusable(name: string, why: string): InfoldError {
  return new InfoldError('invalid_arguments', `The webhook "${name}" cannot be used: ${why}`);
}

/** Its address as anybody may read it: a path or a query can be all that opens it. */
export function maskedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? origin : `${origin}/***`;
}

/** What `infold config` shows. */
export function shownWebhooks(webhooks: readonly WebhookConfig[]): object[] {
  return webhooks.map(({ id: _, url, secret, secretFile, ...rest }) => ({
    ...rest,
    url: maskedUrl(url),
    secret: secret !== undefined || secretFile !== undefined ? 'set' : null,
  }));
}

function nameOf({ name, url }: WebhookInput): string {
  return name ?? (isReceiver(url) ? new URL(url).hostname.replace(/[^A-Za-z0-9._-]/g, '-') : '');
}

function eventsOf(given: readonly z.infer<typeof event>[]): WebhookEventName[] {
  const isMeant = (name: WebhookEventName) =>
    given.some((one) => one === name || one === '*' || one === `${name.split('.')[0]}.*`);
  return WEBHOOK_EVENTS.filter(isMeant);
}

function isReceiver(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, hash].every((part) => part === '');
}
