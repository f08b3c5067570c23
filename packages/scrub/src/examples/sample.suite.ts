/**
 * Makes credentials at run time, so that none stands in a file. Every value is drawn anew from one fixed
 * sequence: random to the rules, the same in every run.
 */

let state = 20_26;
function draw(alphabet: string, length: number): string {
  let text = '';
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += alphabet[(state >>> 8) % alphabet.length];
  }
  return text;
}

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

export const digits = (length: number): string => draw(`123456789${DIGITS}`, length);
export const hex = (length: number): string => draw(`${DIGITS}abcdef`, length);
export const upperHex = (length: number): string => draw(`${DIGITS}ABCDEF`, length);
export const lower = (length: number): string => draw(LOWER + DIGITS, length);
export const upper = (length: number): string => draw(UPPER + DIGITS, length);
export const alnum = (length: number): string => draw(UPPER + LOWER + DIGITS, length);
export const letters = (length: number): string => draw(UPPER + LOWER, length);
/** Base64 for URLs; begins and ends with a letter or digit, as the generators' alphabets do not guarantee. */
export const word = (length: number): string =>
  alnum(4) + draw(`${UPPER}${LOWER}${DIGITS}_-`, length - 8) + alnum(4);
export const base64 = (length: number): string =>
  alnum(4) + draw(`${UPPER}${LOWER}${DIGITS}+/`, length - 8) + alnum(4);
export const base58 = (length: number): string =>
  draw('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', length);
export const uuid = (): string => [hex(8), hex(4), hex(4), hex(4), hex(12)].join('-');
export const encode = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
export const jwt = (): string =>
  [encode('{"alg":"HS256","typ":"JWT"}'), encode(`{"sub":"${digits(10)}"}`), word(43)]
    .join('.')
    .replaceAll('=', '');

/** One example: texts in which the secret must go, and texts that must stay as they are. */
export interface Sample {
  secret: string;
  true: string[];
  false: string[];
}

export type Examples = Record<string, Sample[]>;

const mask = (body: string): string => body.replace(/[A-Za-z0-9]/g, 'x');

/** A token that its own format gives away, wherever it stands. */
export function token(prefix: string, body: string, suffix = ''): Sample {
  const whole = prefix + body + suffix;
  return {
    secret: body,
    true: [
      whole,
      `We found ${whole} in the log.`,
      `{"value": "${whole}"}`,
      `first\\n${whole}\\nlast`,
      `<p>${whole}</p>`,
    ],
    false: [prefix + mask(body) + suffix, prefix, `${prefix}...`],
  };
}

/** A value that the name before it gives away, in the syntaxes of configurations. */
export function named(name: string, value: string): Sample {
  return {
    secret: value,
    true: [
      `${name}=${value}`,
      `export ${name}="${value}"`,
      `{"${name}": "${value}"}`,
      `${name}: ${value}`,
      `const ${name} = '${value}';`,
    ],
    false: [`${name}=\${${name}}`, `${name}=${mask(value)}`, `{"${name}": ""}`, `${name}=<your value here>`],
  };
}

/** A text of its own around the secret. */
export function inText(before: string, secret: string, after = ''): Sample {
  return { secret, true: [before + secret + after], false: [before + after, before + mask(secret) + after] };
}
