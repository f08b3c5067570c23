import { InfoldError } from '../../kernel/errors.ts';

/** Who can read the data folder. The name is reserved: nobody else can have it, whatever a token or an issuer says. */
export const LOCAL_ORG = 'local';
export const LOCAL_OWNER = 'owner';

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;
/** Issuers put more into a subject: `auth0|5f7c…`, `https://…`, base64. */
const SUBJECT = /^[\p{L}\p{N}][\p{L}\p{N} ._@|:/+=-]{0,254}$/u;

export function isName(name: string): boolean {
  return NAME.test(name);
}

export function checkName(name: string, what: string): void {
  if (NAME.test(name)) return;
  throw new InfoldError(
    'invalid_arguments',
    `"${name.slice(0, 80)}" is not a ${what} name: use 1 to 64 letters, digits, spaces or ._@- and begin with a letter or digit`,
  );
}

export function isReserved(org: string, principal: string): boolean {
  return org === LOCAL_ORG && principal === LOCAL_OWNER;
}

/** What an issuer says of somebody, held to what our own names are held to. */
export function isIdentity(org: string, subject: string): boolean {
  return NAME.test(org) && SUBJECT.test(subject) && !isReserved(org, subject);
}
