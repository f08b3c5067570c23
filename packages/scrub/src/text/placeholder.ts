import { isDigit } from './characters.ts';
import { isMonotonous } from './randomness.ts';

/** Values that stand for a secret without being one. */

const WORDS = new Set(
  (
    'password passwd pass pwd passphrase passcode secret token key apikey api-key api_key value string test tests ' +
    'testing example sample dummy fake mock none null nil undefined true false yes no on off default changeme ' +
    'change-me change_me changeit todo tbd redacted hidden masked removed secrets user username admin root guest ' +
    'foo bar baz foobar qux foobarbaz required optional enabled disabled empty unset unknown any text credentials ' +
    'bearer basic digest oauth oauth2 jwt prompt inherit mypassword my-password mysecret my-secret mytoken my-token ' +
    'yourpassword your-password yoursecret yourtoken passw0rd p@ssw0rd password1 password123 pass123 test123 test1234 ' +
    'secret123 hunter2 letmein qwerty abc123 abcdef abcd1234 123456 12345678 1234 12345 123456789 1234567890 topsecret ' +
    'supersecret super-secret super_secret verysecret username:password user:pass s3cret s3cr3t pa55word passwort ' +
    'contraseña postgres mysql mongo redis rabbitmq localhost anonymous notasecret not-a-secret include same-origin omit'
  ).split(' '),
);

/** `${X}`, `$X`, `{{ x }}`, `<token>`, `%X%`, `[PASSWORD]`, `process.env.X`, `os.environ[…]`, `@x@`. */
const REFERENCE =
  /^(?:\$\{|\$\(|\$[A-Za-z_]|\$\$|\{|<|\[|%[A-Za-z_][\w]{0,60}%|@@?[A-Za-z_]\w{0,40}@|#\{|process\.env|import\.meta|os\.|env[.[(]|getenv|System\.|ENV\[|secrets?[.:/]|vault[:.]|arn:aws|ssm:|op:\/\/|file:|self\.|this\.|config[.[]|settings\.|args\.|var\.|local\.|data\.|module\.|params\.|props\.|req\.|request\.|ctx\.|context\.|event\.|state\.|options\.|opts\.|new |function|async |await |null\b|=|\\$)/i;
/** Anything that spells out what to fill in. */
const INSTRUCTION =
  /(?:^|[^a-z])(?:enter|insert|replace|change|example|sample|placeholder|dummy|fake|redacted|goes[-_ ]?here|encoded|here[-_ ]|todo|fixme|removed|hidden|masked)(?![a-z])/i;
/** Words so short that random characters spell them: only between separators. */
const SHORT_INSTRUCTION = /(?:^|[-_ .<{[])(?:your|put|add|fill|use|set|see)(?=[-_ .>}\]]|$)/i;
const INSTRUCTION_CAPITALS = /(?:YOUR|ENTER|INSERT|REPLACE|EXAMPLE|PLACEHOLDER|REDACTED|CHANGE_?ME|DUMMY)/;
const ELLIPSIS = /\.\.\.|…|\*\*\*|•••/;
const INTERPOLATION = '$'.concat('{');

/** Ids that this program gave out name things and open nothing: `session_id: "sess_…"` says whose something is. */
const OWN_ID = /^(?:sess|br|tok|msg|epoch|run)_[a-z2-9]{20}$/;

export function isOwnId(value: string): boolean {
  return value.length <= 26 && OWN_ID.test(value);
}

export function isPlaceholder(value: string): boolean {
  if (value.length === 0 || isOwnId(value)) return true;
  // A marker, or a template that a program fills in.
  if (value.includes('[REDACTED:') || value.includes(INTERPOLATION) || value.includes('{{')) return true;
  const lower = value.length <= 24 ? value.toLowerCase() : '';
  if (lower !== '' && (WORDS.has(withoutNumber(lower)) || WORDS.has(lower) || spellsItself(lower)))
    return true;
  if (lower !== '' && /^[a-z]{0,6}(?:password|secret)$/.test(lower)) return true;
  if (REFERENCE.test(value) || ELLIPSIS.test(value)) return true;
  if (
    value.length <= 200 &&
    (INSTRUCTION.test(value) || SHORT_INSTRUCTION.test(value) || INSTRUCTION_CAPITALS.test(value))
  )
    return true;
  return isMonotonous(value);
}

/** `secret123` and `test_2` are as good as `secret` and `test`. */
function withoutNumber(lower: string): string {
  let end = lower.length;
  while (end > 0 && lower.length - end < 4 && isDigit(lower.charCodeAt(end - 1))) end -= 1;
  if (end < lower.length && (lower[end - 1] === '-' || lower[end - 1] === '_')) end -= 1;
  return lower.slice(0, end);
}

const SEPARATOR = /[-_. ]/;

/** Plain words of which one says what the value is: `secret-2-levels`, `my_test_password`. */
function spellsItself(lower: string): boolean {
  const parts = lower.split(SEPARATOR);
  return (
    parts.length > 1 &&
    parts.every((part) => /^(?:[a-z]*|\d{1,4})$/.test(part)) &&
    parts.some((part) => WORDS.has(part))
  );
}
