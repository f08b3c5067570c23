import { isDigit, isLower, isUpper } from '../text/characters.ts';

/**
 * What a name says about its value.
 * `password`: chosen by people, may be short; `secret`: made by a machine; `weak`: may or may not be secret.
 */
export type NameClass = 'password' | 'secret' | 'weak';

export interface NameVerdict {
  class: NameClass;
  kind: string;
}

/** Words that a secret's name may end with, after its number or environment is taken off. */
const LAST_WORDS = new Map<string, NameVerdict>();
const define = (kind: string, nameClass: NameClass, words: string): void => {
  for (const word of words.split(' ')) LAST_WORDS.set(word, { class: nameClass, kind });
};
define(
  'password',
  'password',
  'password passwords passwd pwd passwort pw passphrase passcode pass motdepasse senha psk wpapsk',
);
define('secret', 'secret', 'secret secrets clientsecret appsecret apisecret secretkey consumersecret');
define(
  'token',
  'secret',
  'token authtoken accesstoken refreshtoken apitoken bottoken idtoken usertoken bearertoken',
);
define('token', 'secret', 'bearer jwt pat sessiontoken accesstokens apitokens authtokens oauth oauthtoken');
define(
  'api-key',
  'secret',
  'skey apikey apikeys accesskey authkey appkey licensekey masterkey subscriptionkey',
);
define('private-key', 'secret', 'privatekey privkey signingkey encryptionkey seedphrase mnemonic');
define('authorization', 'secret', 'authorization auth authentication basicauth');
define('credentials', 'secret', 'credentials credential creds cred');
define('cookie', 'weak', 'cookie cookies session sessionid sid sessid phpsessid jsessionid');
define('key', 'weak', 'key keys');
define('secret', 'weak', 'salt pepper nonce signature sig hmac seed dsn sas otp totp pin cvv code');

/** What makes `key` a secret: `api_key`, `secretAccessKey`, `STORAGE_KEY`. */
const KEY_QUALIFIERS = new Set(
  (
    'api secret access private auth signing encryption encrypt decrypt master service license licence shared account ' +
    'admin storage ssh deploy webhook write ingest ingestion insert client session jwt hmac aes rsa server rest ' +
    'subscription integration consumer application app security crypto cipher token hash cookie role bot user ' +
    'personal publishable sdk developer dev merchant partner rw management mgmt tenant sas wif wallet validation ' +
    'verification recovery registration join enrollment agent collector tracking project workspace organization org ' +
    'routing unseal root fernet ghost push vapid speech webhooks provisioning instrumentation'
  ).split(' '),
);
/** What makes a name harmless whatever it ends with. */
const HARMLESS = new Set(
  (
    'public pub csrf xsrf csrftoken xsrftoken page next continuation cursor pagination sort partition primary ' +
    'foreign cache composite idempotency translation i18n hot short max min num count total limit used remaining ' +
    'cancellation lexer parser syntax punctuation design stop eos bos pad unk sep mask no is has show hide forgot ' +
    'reset confirm invalid missing require requires'
  ).split(' '),
);
/** What makes a `token` a piece of text or a place in a list. */
const HARMLESS_TOKENS = new Set(
  'input output prompt completion cached reasoning audio thinking special start end first last prev sync resume delta change watch marker'.split(
    ' ',
  ),
);
/** Endings that say nothing: `token_prod`, `PASSWORD_STAGING`, `secret_value`, `token1`. */
const TRAILING = new Set(
  'prod production staging stage dev development test live sandbox qa uat value val string str b64 base64 old new current previous primary secondary main default override env var raw plain plaintext text encoded data private base'.split(
    ' ',
  ),
);

/** `awsSecretAccess_KEY-2` → aws secret access key 2. */
export function wordsOf(name: string): string[] {
  const words: string[] = [];
  let word = '';
  const close = (): void => {
    if (word !== '') words.push(word.toLowerCase());
    word = '';
  };
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (isLower(code)) word += name[index];
    else if (isUpper(code)) {
      const previous = name.charCodeAt(index - 1);
      // A capital opens a word after a small letter or digit (`apiKey`), or before one (`APIKey`).
      if (word !== '' && (!isUpper(previous) || isLower(name.charCodeAt(index + 1)))) close();
      word += name[index];
    } else if (isDigit(code)) {
      if (word !== '' && !isDigit(name.charCodeAt(index - 1))) close();
      word += name[index];
    } else close();
  }
  close();
  return words;
}

const ALL_DIGITS = /^\d+$/;

/** Verdicts on names met before: texts repeat theirs. Emptied when full, so that it cannot grow. */
const verdicts = new Map<string, NameVerdict | undefined>();
const REMEMBERED = 1000;
/** Longer ones do not come again. */
const LONGEST = 256;

/** What the name says, or undefined if it names nothing secret. */
export function classifyName(name: string): NameVerdict | undefined {
  let verdict = verdicts.get(name);
  if (verdict !== undefined || verdicts.has(name)) return verdict;
  verdict = classify(name);
  if (name.length > LONGEST) return verdict;
  if (verdicts.size >= REMEMBERED) verdicts.clear();
  verdicts.set(name, verdict);
  return verdict;
}

function classify(name: string): NameVerdict | undefined {
  const words = wordsOf(name);
  let last = words.length - 1;
  while (last > 0 && (ALL_DIGITS.test(words[last]!) || TRAILING.has(words[last]!))) last -= 1;
  if (last < 0) return undefined;
  const word = words[last]!;
  const before = words.slice(0, last);
  if (before.some((other) => HARMLESS.has(other))) return undefined;
  const previous = before.at(-1);
  if (word === 'key' || word === 'keys') {
    if (previous === undefined) return LAST_WORDS.get('key');
    if (previous === 'private' || previous === 'ssh' || previous === 'rsa')
      return LAST_WORDS.get('privatekey');
    if (before.some((other) => KEY_QUALIFIERS.has(other) || LAST_WORDS.has(other)))
      return LAST_WORDS.get('apikey');
    return LAST_WORDS.get('key');
  }
  // `secret_id`: half of a login, beside a role or an accessor that is not secret.
  if (word === 'id' && previous === 'secret') return LAST_WORDS.get('secret');
  const verdict = LAST_WORDS.get(word);
  if (verdict !== undefined) {
    return verdict.kind === 'token' && previous !== undefined && HARMLESS_TOKENS.has(previous)
      ? undefined
      : verdict;
  }
  // Words run together: `DBPASSWORD`, `githubtoken`, `_authToken`.
  return endingOf(word) ?? (name === name.toUpperCase() ? insideOf(before, word) : undefined);
}

/** What follows a secret's name in a variable that holds something about the secret. */
const ABOUT = new Set(
  (
    'id ids name names file path dir url uri endpoint host port type ttl exp expiry expires expiration length len size ' +
    'count version arn region algorithm alg format prefix suffix header headers field param policy mode enabled ' +
    'required hash digest fingerprint issuer audience scope scopes manager store provider ref limit usage index ' +
    'regex pattern label title message error status pub cert certificate interval timeout rotation'
  ).split(' '),
);
/** The provider's name stands last: `API_KEY_OPENAI`, `AWS_BEARER_TOKEN_BEDROCK`, `PASSWORD_DB`. */
function insideOf(before: readonly string[], word: string): NameVerdict | undefined {
  if (before.length === 0 || ABOUT.has(word)) return undefined;
  const previous = before.at(-1)!;
  if (previous === 'key')
    return KEY_QUALIFIERS.has(before.at(-2) ?? '') ? LAST_WORDS.get('apikey') : undefined;
  const verdict = LAST_WORDS.get(previous);
  return verdict === undefined || verdict.class === 'weak' ? undefined : verdict;
}

const RUN_TOGETHER =
  /(?:(password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey|authkey|credentials|apitoken)|^(?:store|key|require|bind|db|root|user|smtp|mail|email|admin|ftp|sftp|ldap|sql|mysql|redis|mongo|pg|wifi|vpn|master|sudo|login|auth|svc|enc|ssh|imap|proxy|rpc|truststore|keystore|srcstore|deststore|srckey|destkey)(pass|pw|pwd))$/;
function endingOf(word: string): NameVerdict | undefined {
  const match = RUN_TOGETHER.exec(word);
  if (match === null) return undefined;
  if (word.length > 24 || word.startsWith('csrf') || word.startsWith('xsrf')) return undefined;
  return LAST_WORDS.get(match[1] ?? match[2]!);
}
