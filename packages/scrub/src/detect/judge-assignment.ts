import { isPlaceholder } from '../text/placeholder.ts';
import { entropy, isDigest, isHex, isUuid, looksDrawn, looksRandom, shapeOf } from '../text/randomness.ts';
import type { Assignment, TextWithRun } from './assignment.ts';
import { APP_PASSWORD, looksChosen } from './chosen-passwords.ts';
import { classifyName, type NameVerdict } from './field-names.ts';

/** How much of a value is looked at: enough to tell, and a bound on the work an attacker can cause. */
const EVIDENCE = 96;
const LITTLE_EVIDENCE = 32;
const CROWDED = 8;

const PATH = /^(?:[A-Za-z]:)?[./~\\]{0,2}[\w.-]*[/\\](?:[\w.@-]+[/\\])*[\w.-]*$/;
const URL = /^[a-z][a-z0-9+.-]{1,20}:\/\//i;
const VERSION = /^[v^~<>=]{0,2}\d+(?:\.\d+){1,3}(?:[-+.][\w.-]+)?$/i;
const MEMBER = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/;
const FILE_NAME =
  /\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|env|js|ts|py|go|md|html?|css|png|jpg|svg|com|net|org|io|local|keytab)$/i;
const EMAIL = /^[\w.+-]+@[\w-]+\.[\w.-]+$/;
/** How public keys begin: the algorithm's name in base64, or in OpenSSH's form. */
const PUBLIC_KEY =
  /^(?:MFkwEwYHKoZIzj|MHYwEAYHKoZIzj|MIIB[A-Z]jANBg|MIICIjANBg|MIGfMA0GCSqG|MCowBQYDK2V|AAAAB3NzaC1|AAAAC3NzaC1|AAAAE2VjZHNh)/;
const DATE = /^\d{4}-\d\d-\d\d/;

/** The kind to redact an assignment's value as, or undefined to leave it. */
export function judgeAssignment(subject: TextWithRun, assignment: Assignment): string | undefined {
  const { text } = subject;
  const verdict = classifyName(nameOf(text, assignment));
  if (verdict === undefined) return undefined;
  // A run with name upon name in it is no configuration; less of it is looked at each time.
  const evidence = !assignment.quoted && ++subject.runJudged > CROWDED ? LITTLE_EVIDENCE : EVIDENCE;
  const value = text.slice(
    assignment.valueStart,
    Math.min(assignment.valueEnd, assignment.valueStart + evidence),
  );
  return isSecretValue(verdict, value, assignment, text) ? verdict.kind : undefined;
}

/** The name; a lone `key` takes the word before it along: `encryption key`, `access key`. */
function nameOf(text: string, assignment: Assignment): string {
  const name = text.slice(assignment.nameStart, assignment.nameEnd);
  if (name.length > 4 || !/^keys?$/i.test(name)) return name;
  const before = /([A-Za-z]{2,20})[ \t]$/.exec(
    text.slice(Math.max(0, assignment.nameStart - 24), assignment.nameStart),
  );
  return before === null ? name : `${before[1]}_${name}`;
}

function isSecretValue(verdict: NameVerdict, value: string, assignment: Assignment, text: string): boolean {
  if (value.length < 4) return false;
  // With nothing but a space between, only what cannot be a word is believed.
  if (assignment.syntax === 'words') {
    if (/^0x[0-9a-f]{1,20}U?L{0,2}$/i.test(value)) return false;
    if (verdict.class === 'password' && isLineOfItsOwn(text, assignment))
      return looksChosen(value) && value.length >= 8;
    const capitals = !/[a-z]/.test(text.slice(assignment.nameStart, assignment.nameEnd));
    if (!looksRandom(value, capitals ? 12 : 20) || (!capitals && isHex(value))) return false;
  }
  const secret =
    verdict.class === 'password'
      ? isPassword(value, assignment, text)
      : isToken(verdict, value, assignment, text);
  return secret && !isDigest(value) && !isPlaceholder(value);
}

/** `password value` and nothing else on the line, as msmtp and Cisco write it. */
function isLineOfItsOwn(text: string, { nameStart, valueEnd }: Assignment): boolean {
  const before = text.slice(Math.max(0, nameStart - 12), nameStart);
  return (
    /(?:^|\n)[ \t]*$/.test(nameStart > 12 ? before : `\n${before}`) &&
    /^[ \t]*(?:[\r\n]|$)/.test(text.slice(valueEnd, valueEnd + 8))
  );
}

function isToken(verdict: NameVerdict, value: string, assignment: Assignment, text: string): boolean {
  // An unquoted run that goes on with a bracket is a call or an index: `token = next(…`.
  if (!assignment.quoted && '([{'.includes(text[assignment.valueEnd] ?? ' ')) return false;
  // The cheapest test first: in most texts it is the only one that runs.
  const random =
    verdict.class === 'weak'
      ? value.length >= 24 && looksRandom(value, 24) && !isHex(value) && !isUuid(value)
      : looksRandom(value, 10) ||
        looksDrawn(value) ||
        isEncodedPassword(value) ||
        (verdict.kind === 'authorization' && isDense(value)) ||
        ((assignment.quoted || verdict.kind === 'secret') && isSharedSecret(value, verdict.kind));
  if (isPair(value)) return true;
  if (!random || /\s/.test(value) || isOrdinary(value)) return false;
  if (value.includes(':') && !isSecretAfterColon(value)) return false;
  return assignment.quoted || !isSecretsName(value);
}

/** `id:secret` in one value: two random halves, whatever the name. */
function isPair(value: string): boolean {
  const colon = value.indexOf(':');
  if (colon < 16 || value.length - colon < 25 || value.indexOf(':', colon + 1) !== -1) return false;
  const halves = [value.slice(0, colon), value.slice(colon + 1)];
  return halves.every((half) => /^[\w-]+$/.test(half) && looksRandom(half, 16));
}

/** `default:production.3f2a…`, `2/123/456:3f2a…`: what stands before the colon says whose secret follows. */
function isSecretAfterColon(value: string): boolean {
  // Digits and a colon before it: a bot's token in another form than its provider makes.
  if (/^(?:\d+:|(?:arn|urn|data|sha|md5|https?|file|ssh|git)\b)/i.test(value)) return false;
  const last = value.slice(value.lastIndexOf(':') + 1);
  return looksRandom(last.slice(last.lastIndexOf('.') + 1), 20);
}

/** A secret that two people share and one of them made up: `radiusJuniper3593`. */
function isSharedSecret(value: string, kind: string): boolean {
  const shape = shapeOf(value);
  return (
    value.length >= 12 &&
    /^[A-Za-z0-9!#^*]+$/.test(value) &&
    shape.lower > 0 &&
    ((kind === 'secret' && shape.upper > 0 && shape.digits >= 3) ||
      (shape.digits > 0 && shape.others > 0 && shape.others < 4)) &&
    !/^(?:hmac|sha|ed|es|rs|hs|aes|base|utf)[\w]*\d{2,5}/i.test(value)
  );
}

const BASE64 = /^[A-Za-z0-9+/]{8,}={0,2}$/;
/** A password in base64, as Kubernetes and Docker keep it. */
function isEncodedPassword(value: string): boolean {
  if (value.length % 4 !== 0 || value.length > 96 || !BASE64.test(value)) return false;
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return /^[\x20-\x7e]{6,}\n?$/.test(decoded) && looksChosen(decoded.trim());
}

/** An authorization header is believed sooner: letters, digits and signs that spell nothing. */
function isDense(value: string): boolean {
  const shape = shapeOf(value);
  return (
    value.length >= 12 &&
    shape.digits > 0 &&
    shape.others > 0 &&
    shape.longestRun < 14 &&
    entropy(value) >= 3.5
  );
}

/** Paths, addresses, versions and code: strings that people write beside secret-sounding names. */
function isOrdinary(value: string): boolean {
  return (
    URL.test(value) ||
    VERSION.test(value) ||
    isMember(value) ||
    FILE_NAME.test(value) ||
    EMAIL.test(value) ||
    DATE.test(value) ||
    PUBLIC_KEY.test(value) ||
    (PATH.test(value) &&
      !looksRandom(value.replace(/[/\\]/g, ''), 24) &&
      !looksDrawn(value.replace(/[/\\]/g, '')))
  );
}

/** `request.headers.token2`, but not three random strings with full stops between. */
const isMember = (value: string): boolean =>
  MEMBER.test(value) && !value.split('.').some((part) => looksRandom(part, 16));

/** A bare value that is itself named like a secret is a variable: `Socks5Auth = Socks5Auth`. */
const isSecretsName = (value: string): boolean =>
  IDENTIFIER.test(value) &&
  (TYPE.test(value) || (!/\d{3}$/.test(value) && (classifyName(value)?.class ?? 'weak') !== 'weak'));
const TYPE = /^(?:Big)?(?:u?int|float)\d{1,3}(?:clamped)?(?:array|_t)?$/i;
const IDENTIFIER = /^[A-Za-z_$][\w$]{0,30}$/;

/** `define('DB_PASSWORD', …)`. */
const isConstant = (assignment: Assignment, text: string): boolean =>
  /\(\s{0,3}["']$/.test(text.slice(Math.max(0, assignment.nameStart - 5), assignment.nameStart)) &&
  !/[a-z]/.test(text.slice(assignment.nameStart, assignment.nameEnd));

const CODE_END = new Set(['(', '[', '{']);
function isPassword(value: string, assignment: Assignment, text: string): boolean {
  if (
    value.length < 6 ||
    value.length > 128 ||
    URL.test(value) ||
    MEMBER.test(value) ||
    value.startsWith('/') ||
    FILE_NAME.test(value)
  )
    return false;
  const shape = shapeOf(value);
  const kinds =
    Number(shape.lower > 0) + Number(shape.upper > 0) + Number(shape.digits > 0) + Number(shape.others > 0);
  if (/\s/.test(value)) return APP_PASSWORD.test(value);
  if (isEncodedPassword(value)) return true;
  if (!assignment.quoted) {
    if (CODE_END.has(text[assignment.valueEnd] ?? ' ') || isSecretsName(value)) return false;
    if (assignment.syntax === 'env' || assignment.syntax === 'flag') {
      const name = text.slice(assignment.nameStart, assignment.nameEnd);
      if (assignment.syntax === 'flag' || !/[a-z]/.test(name)) return kinds >= 2 || value.length >= 8;
    }
    return (
      shape.digits > 0 &&
      shape.lower + shape.upper > 0 &&
      value.length >= 8 &&
      (shape.turns + shape.others >= 2 || shape.digits >= 2)
    );
  }
  // `['password', 'user2.name']` is a list of names rather than a call.
  if (assignment.syntax === 'call' && !isConstant(assignment, text)) return looksRandom(value, 8);
  if (shape.digits > 0 && shape.lower + shape.upper > 0) return true;
  if (value.length >= 10 && shape.turns / value.length >= 0.25) return true;
  return (
    kinds >= 3 &&
    shape.others > 0 &&
    shape.others < value.length / 2 &&
    !/[-_. ,:;!?/]$/.test(value) &&
    !/^[\w.-]+$/.test(value)
  );
}
