import { isPlaceholder } from '../text/placeholder.ts';
import { isMonotonous, looksRandom } from '../text/randomness.ts';
import { looksChosen } from './chosen-passwords.ts';
import { type Finding, Rank } from './types.ts';

/** Secrets that take a look at the document around them. */

const REACH = 2000;
const JWK_MEMBER = /"(d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{16,1400})"/g;

/** The private members of a JSON Web Key, whichever side of `kty` they stand on. */
export function jwkSecrets(text: string, at: number): { findings: Finding[]; end: number } {
  const from = Math.max(0, at - REACH);
  const open = from + text.slice(from, at).lastIndexOf('{');
  const ahead = text.slice(at, at + 2 * REACH);
  const close = ahead.indexOf('}');
  const findings: Finding[] = [];
  if (open < from) return { findings, end: at };
  // A key that was cut off has no end.
  const end = at + (close === -1 ? ahead.length : close);
  for (const match of text.slice(open, end).matchAll(JWK_MEMBER)) {
    const value = match[2]!;
    if (!looksRandom(value.slice(0, 256), 16) || isPlaceholder(value)) continue;
    const valueEnd = open + match.index + match[0].length - 1;
    findings.push({
      start: valueEnd - value.length,
      end: valueEnd,
      kind: 'jwk-private-key',
      rank: Rank.format,
    });
  }
  return { findings, end };
}

const DATA_LINE = /^(\s{1,12})(["']?)[\w.-]{1,100}\2:[ \t]{1,4}(["']?)([^\s"'#]{4,4000})\3[ \t]*$/;

/** Every value of a Kubernetes Secret's `data`, whatever it is called. */
export function kubernetesSecret(text: string, after: number): Finding[] {
  const findings: Finding[] = [];
  // A slice shares the text's memory; it bounds how far a line break is looked for.
  const reach = text.slice(0, after + 2 * REACH);
  let cursor = text.slice(after, after + 8).indexOf('\n');
  if (cursor === -1) return findings;
  cursor += after;
  let inside = false;
  for (let line = 0; line < 40 && cursor !== -1 && cursor < after + 2 * REACH; line++) {
    const start = cursor + 1;
    cursor = reach.indexOf('\n', start);
    const content = reach.slice(start, cursor === -1 ? undefined : cursor);
    if (content.startsWith('---') || content.startsWith('kind:')) break;
    if (/^(?:data|stringData):\s*$/.test(content)) inside = true;
    else if (/^\S/.test(content)) inside = false;
    else if (inside) {
      const match = DATA_LINE.exec(content);
      if (match === null || isPlaceholder(match[4]!)) continue;
      const end = start + match.index + match[0].trimEnd().length - match[3]!.length;
      findings.push({ start: end - match[4]!.length, end, kind: 'kubernetes-secret', rank: Rank.context });
    }
  }
  return findings;
}

const BEFORE_AT = /(?:^|[\s"'`=])[\w.%-]{1,64}:([^\s"'`]{3,128})$/;

/** Go's form of a database address: `user:password@tcp(host:3306)/name`. */
export function goPassword(text: string, at: number): Finding | undefined {
  const match = BEFORE_AT.exec(text.slice(Math.max(0, at - 200), at));
  if (match === null || match[1]!.startsWith('//') || !looksChosen(match[1]!)) return undefined;
  return { start: at - match[1]!.length, end: at, kind: 'url-password', rank: Rank.context };
}

const HASH =
  /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$[156y]\$[./A-Za-z0-9$=,]{20,140}|\$argon2id?\$[A-Za-z0-9./$=,+]{40,200}|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/=]{27,120}|pbkdf2_sha(?:1|256|512)\$\d{3,8}\$[A-Za-z0-9]{8,40}\$[A-Za-z0-9+/=]{27,90}/iy;
const OF_A_USER = /[\w.@-]:["']?$|pass|pwd|hash|user|email|shadow/i;

/** A stored password (htpasswd, shadow, a table of users): after a user's name or beside words of that sort. */
export function passwordHash(text: string, start: number): Finding | undefined {
  HASH.lastIndex = start;
  if (!HASH.test(text) || !OF_A_USER.test(text.slice(Math.max(0, start - 120), start))) return undefined;
  if (isMonotonous(text.slice(start + 8, HASH.lastIndex))) return undefined;
  return { start, end: HASH.lastIndex, kind: 'password-hash', rank: Rank.format };
}

const CHAIN_KEY = /0x[0-9a-f]{64}(?![0-9A-Za-z])/iy;

/** 32 bytes in hexadecimal are a hash more often than a key; the words before them tell. */
export function chainKey(text: string, start: number): Finding | undefined {
  CHAIN_KEY.lastIndex = start;
  if (!CHAIN_KEY.test(text)) return undefined;
  const around =
    text.slice(Math.max(0, start - 100), start) + text.slice(start + 66, start + 110).split('\n')[0];
  if (!/priv(?:ate)?[ _-]?key|accounts["']?\s?[:=(]|deployer|wallet\(|secret|signer/i.test(around))
    return undefined;
  if (isPlaceholder(text.slice(start + 2, start + 66))) return undefined;
  return { start, end: start + 66, kind: 'ethereum-private-key', rank: Rank.format };
}

const SENT = /([^"'\\\n]{4,64})(?:\\[rn]|["'])/y;

/** `expect "password:"` and on the next line `send "…\r"`. */
export function promptedPassword(text: string, start: number, end: number): Finding | undefined {
  if (!/ass(?:word|phrase|code|wd)/i.test(text.slice(Math.max(0, start - 80), start))) return undefined;
  SENT.lastIndex = end;
  const match = SENT.exec(text);
  if (match === null || !looksChosen(match[1]!)) return undefined;
  return { start: end, end: end + match[1]!.length, kind: 'prompted-password', rank: Rank.context };
}
