import { isNameCharacter } from '../text/characters.ts';
import { isPlaceholder } from '../text/placeholder.ts';
import { looksRandom } from '../text/randomness.ts';
import { type Finding, Rank } from './types.ts';

/** How far a user and a password may reach. */
const USER_REACH = 128;
const PASSWORD_REACH = 512;

const END = 1;
const PATH = 2;
/** What ends an address (space, quotes, angle brackets), and what ends its authority (a slash, ?, #). */
const STOPS = new Uint8Array(128);
for (const character of ' \t\n\r"\'`<>\\') STOPS[character.charCodeAt(0)] = END;
for (const character of '/?#') STOPS[character.charCodeAt(0)] = PATH;

/** The password between `scheme://user:` and `@host`; the rest of the address stays readable. */
export function urlPassword(text: string, afterSlashes: number): Finding | undefined {
  if (!isNameCharacter(text.charCodeAt(afterSlashes - 4))) return undefined;
  const userLimit = Math.min(text.length, afterSlashes + USER_REACH);
  let start = afterSlashes;
  for (; start < userLimit; start++) {
    const code = text.charCodeAt(start);
    if (code === 58) break;
    if (code === 64 || STOPS[code] !== 0) return undefined;
    // A user that was redacted before: its marker's colon is not the one before a password.
    if (code === 91 && text.startsWith('[REDACTED:', start)) return undefined;
  }
  if (start === userLimit) return undefined;
  start += 1;
  const end = passwordEnd(text, start);
  if (end <= start) return undefined;
  const password = text.slice(start, end);
  // The same word twice (`postgres:postgres`) is an image's default.
  if (isUrlPlaceholder(password) || password === text.slice(afterSlashes, start - 1)) return undefined;
  return { start, end, kind: 'url-password', rank: Rank.format };
}

/** At the last @ of the authority; a slash belongs to the password only if an @ and a host follow. */
function passwordEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + PASSWORD_REACH);
  let sign = -1;
  let slash = -1;
  for (let cursor = start; cursor < limit; cursor++) {
    const code = text.charCodeAt(cursor);
    const stop = code < 128 ? STOPS[code]! : 0;
    if (stop === END) break;
    if (code === 64) {
      sign = cursor;
      if (slash !== -1) break;
    } else if (stop === PATH) {
      if (sign !== -1) break;
      // `host:8080/user@2x.png` has a port, not a password; a second slash is a path.
      if (slash !== -1 || /^\d{0,5}$/.test(text.slice(start, cursor).slice(0, 8))) return -1;
      slash = cursor;
    }
  }
  return slash === -1 || /^@[\w.-]{3,64}[:/]/.test(text.slice(sign, sign + 80)) ? sign : -1;
}

/** What documentation writes in place of a password, beyond the words that stand for secrets everywhere. */
const URL_WORDS = new Set('pw auth credential my-pass mypass my_pass userpass yyy'.split(' '));
function isUrlPlaceholder(password: string): boolean {
  if (password.length < 4 || ':%$({[<*.'.includes(password[0]!)) return true;
  return URL_WORDS.has(password) || /^\d{1,4}$/.test(password) || isPlaceholder(password);
}

const SCHEME_VALUE = /[ \t]{1,4}(?:[A-Za-z0-9]{1,12}=)?["'`]?([A-Za-z0-9._~+/=:@!-]{8,2048})/y;
/** The documentation's own example: Aladdin, open sesame. */
const FAMOUS = /^(?:QWxhZGRpbj|dXNlcjpwYXNz|dXNlcm5hbWU6cGFzc3dvcmQ|Zm9vOmJhc|YWRtaW46YWRtaW4|dGVzdDp0ZXN0)/;

/** `Bearer …`, `Basic …`, `Token …` as an authorization header or prose writes them. */
export function schemeValue(text: string, afterScheme: number, scheme: string): Finding | undefined {
  SCHEME_VALUE.lastIndex = afterScheme;
  const match = SCHEME_VALUE.exec(text);
  if (match === null) return undefined;
  const value = match[1]!.replace(/[.,:;!]+$/, '');
  const start = SCHEME_VALUE.lastIndex - match[1]!.length;
  const evidence = value.slice(0, 256);
  if (isPlaceholder(evidence)) return undefined;
  if (scheme === 'basic' ? !isBasic(evidence) : !looksRandom(evidence, 12)) return undefined;
  return { start, end: start + value.length, kind: `${scheme}-auth`, rank: Rank.context };
}

function isBasic(value: string): boolean {
  if (!/^[A-Za-z0-9+/=_-]{8,}$/.test(value) || FAMOUS.test(value)) return false;
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return (
    (decoded.length >= 5 &&
      /^[\x20-\x7e]{0,200}:[\x20-\x7e]{0,200}$/.test(decoded.slice(0, 150)) &&
      decoded !== ':') ||
    looksRandom(value, 24)
  );
}

const QUOTED_PASSWORD = /[ \t]{1,4}(["'])([^"'\s]{4,128})\1/y;

/** `IDENTIFIED BY '…'` and `sshpass -p '…'`: a quoted password right after words that announce one. */
export function announcedPassword(text: string, afterWords: number): Finding | undefined {
  QUOTED_PASSWORD.lastIndex = afterWords;
  const match = QUOTED_PASSWORD.exec(text);
  if (match === null || isPlaceholder(match[2]!)) return undefined;
  const end = QUOTED_PASSWORD.lastIndex - 1;
  return { start: end - match[2]!.length, end, kind: 'password', rank: Rank.context };
}

const COOKIE_PAIR = /["']?[ \t]{0,4}(?:[:=][ \t]{0,4}["']?)?[\w.$!%-]{1,80}=([^\s;,"'\\]{0,2000});?/y;

/** Values in a Cookie or Set-Cookie header that look like sessions. */
export function cookieValues(text: string, afterName: number): { findings: Finding[]; end: number } {
  const findings: Finding[] = [];
  let end = afterName;
  COOKIE_PAIR.lastIndex = afterName;
  for (let pair = 0; pair < 40; pair++) {
    const from = COOKIE_PAIR.lastIndex;
    const match = COOKIE_PAIR.exec(text);
    if (match === null) break;
    end = COOKIE_PAIR.lastIndex;
    const start = from + match[0].lastIndexOf(match[1]!);
    const value = match[1]!.slice(0, 256);
    if (looksRandom(value, 16) && !isPlaceholder(value)) {
      findings.push({ start, end: start + match[1]!.length, kind: 'cookie', rank: Rank.context });
    }
    if (!match[0].endsWith(';')) break;
  }
  return { findings, end };
}

const LOGIN =
  /[ =]{1,3}(["']?)(\$?[^\s:"'$<{[]{0,80}|\{[\w-]{1,60}\})["']?:["']?((?:[A-Za-z0-9]{4} ){3,5}[A-Za-z0-9]{4}(?=["'])|[^\s"'`]{3,160})/y;

/** `curl -u user:password`: the password goes, and the user too where a key stands alone in its place. */
export function commandLogin(text: string, afterFlag: number): Finding | undefined {
  LOGIN.lastIndex = afterFlag;
  const match = LOGIN.exec(text);
  if (match === null) {
    return keyAsUser(text, afterFlag);
  }
  const password = match[3]!;
  // `-u http://…` names an address.
  if (password.startsWith('//')) return undefined;
  if (/^[\d.]+$/.test(password) && /^\d+$/.test(match[2]!)) return undefined;
  if (isUrlPlaceholder(password) || match[2] === password) return undefined;
  if (!runsCurl(text, afterFlag)) return undefined;
  const end = LOGIN.lastIndex;
  return { start: end - password.length, end, kind: 'basic-auth', rank: Rank.context };
}

const KEY_AS_USER = /[ =]{1,3}["']?([^\s:"'$<{[]{8,160}):(?:[xX]|unused|dummy|api_token|ignored)?["'\s]/y;
function keyAsUser(text: string, afterFlag: number): Finding | undefined {
  KEY_AS_USER.lastIndex = afterFlag;
  const match = KEY_AS_USER.exec(text);
  if (match === null || isPlaceholder(match[1]!) || !/\d/.test(match[1]!) || !runsCurl(text, afterFlag))
    return undefined;
  const start = KEY_AS_USER.lastIndex - match[0].length + match[0].indexOf(match[1]!);
  return { start, end: start + match[1]!.length, kind: 'basic-auth', rank: Rank.context };
}

const runsCurl = (text: string, position: number): boolean => {
  const near = text.slice(Math.max(0, position - 400), position + 120);
  return near.includes('curl') || near.includes('http') || near.includes('wget');
};
