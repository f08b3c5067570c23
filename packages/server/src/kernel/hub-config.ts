import { UPLOAD_FIELDS, UPLOADS, type Upload } from '@infold/protocol';
import { z } from 'zod';

/** What of the work at an edge goes to its hub, besides drafts. */
export interface UploadConfig {
  what: Upload[];
  /** Ids, names or paths of projects; undefined for all that the hub has the library of. */
  projects: string[] | undefined;
  /** Fields that stay here, such as `attest.discover.query` or `reason`. */
  without: string[];
}

/** The hub that this data folder is an edge of. What `infold hub join` keeps is used where nothing is said here. */
export interface HubConfig {
  url: string | undefined;
  token: string | undefined;
  /** The address is what a file in the working folder says, which may be anybody's, and the token is not from there. */
  isForeignUrl: boolean;
  /** Lets the token go over plain HTTP to another machine. */
  insecure: boolean;
  /** Which project at the hub a local one has its library from. */
  projects: Record<string, string>;
  /** Seconds between two looks at the hub. */
  every: number;
  upload: UploadConfig;
}

export const HUB_KEYS = ['url', 'token', 'insecure', 'every'] as const;

const names = z.array(z.string().min(1));
const FIELD = new RegExp(`^(attest\\.[a-z_]+\\.)?(${UPLOAD_FIELDS.join('|')})$`);
const fields = z.array(
  z.string().regex(FIELD, `must be one of ${UPLOAD_FIELDS.join(', ')}, or such as attest.discover.query`),
);

export const hubSchema = z.strictObject({
  url: z.string().refine(isHubUrl, 'a hub is written as https://host or http://127.0.0.1:9090').optional(),
  token: z.string().min(1).optional(),
  insecure: z.boolean().optional(),
  projects: z.record(z.string().min(1), z.string().min(1)).optional(),
  every: z.number().min(1).max(86_400).optional(),
  upload: z
    .union([
      z.literal(false),
      z.strictObject({ what: z.array(z.enum(UPLOADS)), projects: names, without: fields }).partial(),
    ])
    .optional(),
});
type HubInput = z.infer<typeof hubSchema>;

export function hubDefaults(): HubConfig {
  return {
    ...{ url: undefined, token: undefined, isForeignUrl: false, insecure: false, projects: {}, every: 60 },
    upload: { what: ['attestation', 'reports'], projects: undefined, without: [] },
  };
}

export function mergeHub(base: HubConfig, { upload, ...given }: HubInput): HubConfig {
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const narrowed = upload === false ? { what: [] } : (upload ?? {});
  return { ...base, ...told, upload: { ...base.upload, ...narrowed } as UploadConfig };
}

/** An address without a user, a query or a fragment: the token has a place of its own. */
export function isHubUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}
