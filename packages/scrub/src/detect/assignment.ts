import { isAlphanumeric, isNameCharacter } from '../text/characters.ts';

/** A `name = value` in whatever syntax: positions into the text only. */
export interface Assignment {
  nameStart: number;
  nameEnd: number;
  valueStart: number;
  valueEnd: number;
  quoted: boolean;
  /**
   * `env`: NAME=value without spaces; `flag`: --name value; `xml`; `call`: set("name", "value");
   * `words`: only a space between; `plain`: the rest.
   */
  syntax: 'env' | 'flag' | 'xml' | 'call' | 'words' | 'plain';
}

const NAME_REACH = 64;
/** Values are judged by their beginning; the rest of the run goes with it. */
const QUOTED_REACH = 4096;
const UNQUOTED_REACH = 1024;

/**
 * From the end of a name to the beginning of its value. Every quantifier is bounded and no two neighbours
 * share a character, so a failed attempt costs a few steps.
 */
const OPERATOR = new RegExp(
  [
    // <add key="name" value="…">, and the list form of environments: `name: X` newline `value: …`.
    '(\\\\{0,3}["\'],?\\s{1,20}value\\s{0,4}=\\s{0,4}|["\']?,?\\s{1,40}["\']?value["\']?\\s{0,4}[:=]\\s{0,4})',
    // A block that describes the parameter: `Password:` newline `Type: String` newline `Default: …`, `{ "value": …`.
    '((?:["\']?[ \\t]{0,2}[:=][ \\t]{0,2}|["\'][ \\t]{1,2})(?:\\{\\s{0,40}|\\r?\\n[ \\t]{1,40})(?:["\']?[A-Za-z]{4,20}["\']?[ \\t]{0,8}[:=][^\\n{}]{0,80}?,?[ \\t]{0,2}\\r?\\n[ \\t]{1,40}){0,4}["\']?(?:[Dd]efault|[Dd]efaultValue|[Vv]alue)["\']?[ \\t]{0,8}[:=][ \\t]{0,4})',
    // <name>value
    '((?:["\'][^<>\\n]{0,60})?>\\s{0,40}(?![@:/&]))',
    // set("name", "value")
    '(\\\\{0,3}["\']\\s{0,4},\\s{0,20}|\\(\\s{0,4}(?=\\\\{0,3}["\'`]))',
    // name = value, "name": value, name := value, name => value, 'name'] = value, name?: string = value
    '(\\\\{0,3}["\'`]?[\\])]{0,2}(?:(?:[!?]?:[ \\t]{0,2}&?[A-Za-z]{3,10}|[ \\t]{1,3}string)[ \\t]{0,4}=(?!=)|[ \\t]{0,40}' +
      '(?:={1,3}>?|:{1,3}=?|\\?=|\\.=|\\+=|\\|{1,2}=?|->))\\s{0,40}(?:string[ \\t]{0,4}=[ \\t]{0,4})?)',
    // the password is value
    "([ \\t]{1,3}(?:(?:for|to|of|on|in|from|until)(?:[ \\t][\\w.@'-]{1,24}){1,5}?[ \\t]{0,2}(?:[ \\t](?:is|was)(?:[ \\t]now)?(?=[ \\t:])|(?=:[ \\t]))|(?:is|was)(?:[ \\t]now)?(?=[ \\t:]))[ \\t:]{1,4})",
    // --name value, PASSWORD 'value'
    '([ \\t]{1,40})',
  ].join('|'),
  'y',
);

const isWordCharacter = (code: number): boolean => isAlphanumeric(code) || code === 95;

/** The end of the identifier that runs through `position`. */
export function nameEndOf(text: string, position: number): number {
  const limit = Math.min(text.length, position + NAME_REACH);
  let end = position;
  while (end < limit && isNameCharacter(text.charCodeAt(end))) end += 1;
  // A full stop or hyphen that ends a word belongs to the sentence.
  while (end > position && !isWordCharacter(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

export function nameStartOf(text: string, position: number): number {
  const limit = Math.max(0, position - NAME_REACH);
  let start = position;
  while (start > limit && isNameCharacter(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

/** Most names in prose are followed by a letter or a full stop; they are passed over without a search. */
const OPENERS = new Uint8Array(128);
for (const character of ' \t\n\r\\"\'`)]!?:=.+|-,>(&') OPENERS[character.charCodeAt(0)] = 1;
const mayAssign = (code: number): boolean => OPENERS[code] === 1;

type Form = 'pair' | 'block' | 'xml' | 'call' | 'sign' | 'prose' | 'blank';
const FORMS: readonly Form[] = ['pair', 'block', 'xml', 'call', 'sign', 'prose', 'blank'];

function readOperator(text: string, nameEnd: number): { end: number; form: Form } | undefined {
  // NAME=value is by far the commonest and needs no search.
  if (text.charCodeAt(nameEnd) === 61 && isValueCharacter(text.charCodeAt(nameEnd + 1))) {
    return { end: nameEnd + 1, form: 'sign' };
  }
  OPERATOR.lastIndex = nameEnd;
  const match = OPERATOR.exec(text);
  if (match === null) return undefined;
  return {
    end: OPERATOR.lastIndex,
    form: FORMS[match.findIndex((part, index) => index > 0 && part !== undefined) - 1]!,
  };
}

const isValueCharacter = (code: number): boolean => isAlphanumeric(code) || code === 34 || code === 39;

/** Reads the assignment whose name runs through [hitStart, hitEnd), if there is one. */
export function readAssignment(
  subject: TextWithRun,
  hitStart: number,
  nameEnd: number,
): Assignment | undefined {
  const { text } = subject;
  if (!mayAssign(text.charCodeAt(nameEnd))) return undefined;
  const operator = readOperator(text, labelEnd(text, nameEnd));
  if (operator === undefined) return undefined;
  const { form } = operator;
  let valueStart = operator.end;
  const nameStart = nameStartOf(text, hitStart);
  // Python's and Rust's bytes: b"…".
  if (text.charCodeAt(valueStart) === 98 && '"\''.includes(text[valueStart + 1] ?? ' ')) valueStart += 1;
  const quote = openingQuote(text, valueStart);
  const quoted = quote !== '';
  let syntax: Assignment['syntax'] = 'plain';
  if (form === 'xml') syntax = 'xml';
  else if (form === 'call') {
    if (!quoted) return undefined;
    syntax = 'call';
  } else if (form === 'blank') {
    if (isFlag(text, nameStart) || followsLogin(text, nameStart) || followsSet(text, nameStart))
      syntax = 'flag';
    else if (!quoted) syntax = 'words';
  } else if (
    form === 'sign' &&
    (text.startsWith('=', nameEnd) || quoted) &&
    valueStart - nameEnd <= (quoted ? 2 : 1)
  ) {
    syntax = isFlag(text, nameStart) ? 'flag' : 'env';
  }
  // A value on the next line must be quoted or an element's content; else it is the next key of a mapping.
  if (
    !quoted &&
    syntax !== 'xml' &&
    form !== 'pair' &&
    form !== 'block' &&
    text.slice(nameEnd, operator.end).includes('\n')
  )
    return undefined;
  valueStart += quote.length;
  let valueEnd = quoted
    ? closingQuote(text, valueStart, quote)
    : syntax === 'xml'
      ? contentEnd(text, valueStart)
      : runEnd(subject, valueStart);
  if (form === 'prose' && !quoted) valueEnd = sentenceEnd(text, valueStart, valueEnd);
  if (valueEnd <= valueStart) return undefined;
  return { nameStart, nameEnd, valueStart, valueEnd, quoted, syntax };
}

const LABEL = /[ \t](?:ID|\d{1,2}|\([^()\n]{1,20}\))(?=[ \t]{0,20}[:=])/y;
/** `Secret ID = …`, `Unseal Key 1: …`, `private key (WIF): …`: the name goes on up to the sign. */
function labelEnd(text: string, nameEnd: number): number {
  if (text.charCodeAt(nameEnd) !== 32) return nameEnd;
  LABEL.lastIndex = nameEnd;
  if (!LABEL.test(text)) return nameEnd;
  // `Key ID` and `Token ID` are no secrets.
  return text.startsWith(' ID', nameEnd) && !/secret$/i.test(text.slice(nameEnd - 6, nameEnd))
    ? nameEnd
    : LABEL.lastIndex;
}

/** `--name`, and `-name` of tools such as keytool: a word of its own. */
function isFlag(text: string, nameStart: number): boolean {
  if (text.charCodeAt(nameStart) !== 45) return false;
  const before = text.charCodeAt(nameStart - 1);
  return (
    text.charCodeAt(nameStart + 1) === 45 ||
    ((nameStart === 0 || before === 32 || before === 34 || before === 39) &&
      isAlphanumeric(text.charCodeAt(nameStart + 1)))
  );
}

/** A full stop after the value belongs to the sentence. */
function sentenceEnd(text: string, start: number, end: number): number {
  let cursor = end;
  while (cursor > start && '.:'.includes(text[cursor - 1]!)) cursor -= 1;
  return cursor;
}

/** The password field of a .netrc line. */
function followsLogin(text: string, nameStart: number): boolean {
  return /\blogin\s{1,4}\S{1,80}\s{1,8}$/.test(text.slice(Math.max(0, nameStart - 100), nameStart));
}

/** `setx NAME value`, `npm config set name value`. */
function followsSet(text: string, nameStart: number): boolean {
  // The last letter of the words below tells most texts apart.
  if (!'txdvTXDV'.includes(text[nameStart - 2] ?? '-') && !'"\''.includes(text[nameStart - 1] ?? '-'))
    return false;
  return /\b(?:setx|config set|configure set|secrets? set|secret put|env set|env add|setenv)\s{1,3}(?:--?[\w-]{1,20}\s)?["']?$/i.test(
    text.slice(Math.max(0, nameStart - 40), nameStart),
  );
}

const QUOTE = /\\{0,7}["'`]|&quot;|&#39;/y;
function openingQuote(text: string, position: number): string {
  QUOTE.lastIndex = position;
  return QUOTE.exec(text)?.[0] ?? '';
}

/** Where the quoted value ends: at the same quote, escaped just as deep. -1 if it does not end in reach. */
function closingQuote(text: string, start: number, quote: string): number {
  const limit = Math.min(text.length, start + QUOTED_REACH);
  const mark = quote.at(-1) === ';' ? quote : quote.at(-1)!;
  const depth = quote.length - mark.length;
  let cursor = start;
  while (cursor < limit) {
    const code = text.charCodeAt(cursor);
    if (code === 92) {
      let slashes = 1;
      while (text.charCodeAt(cursor + slashes) === 92) slashes += 1;
      if (text.startsWith(mark, cursor + slashes) && slashes <= depth) return cursor;
      cursor += slashes + 1;
      continue;
    }
    if (code === 10 || code === 13) return -1;
    if (depth === 0 && text.startsWith(mark, cursor)) return cursor;
    cursor += 1;
  }
  return -1;
}

/** Characters that end a bare value: space, quotes, brackets, and what separates fields. */
const STOPS = new Uint8Array(128);
for (const character of ' \t\n\r"\'`<>;,&|(){}[]\\') STOPS[character.charCodeAt(0)] = 1;

/** A text with the bare run that was measured last: many names may lie in one long run. */
export interface TextWithRun {
  text: string;
  runStart: number;
  runEnd: number;
  /** How many names in this run were judged. */
  runJudged: number;
}

/** Where a bare value ends. */
export function runEnd(subject: TextWithRun, start: number): number {
  if (start >= subject.runStart && start < subject.runEnd) return subject.runEnd;
  const { text } = subject;
  const limit = Math.min(text.length, start + UNQUOTED_REACH);
  let cursor = start;
  while (cursor < limit && STOPS[text.charCodeAt(cursor)] !== 1) cursor += 1;
  subject.runStart = start;
  subject.runEnd = cursor;
  subject.runJudged = 0;
  return cursor;
}

const LOOSE_STOPS = new Uint8Array(128);
for (const character of ' \t\n\r"\'`<>;,&|\\') LOOSE_STOPS[character.charCodeAt(0)] = 1;

/** Where a bare value of an environment ends: brackets may be part of it. */
export function looseRunEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + 128);
  let cursor = start;
  while (cursor < limit && LOOSE_STOPS[text.charCodeAt(cursor)] !== 1) cursor += 1;
  return cursor;
}

const GROUPS_OF_FOUR =
  /(?:[a-z]{4} ){3}[a-z]{4}(?=[ \t]*(?:[\r\n]|$))|(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}(?=[ \t]*(?:[\r\n]|$))/y;
/** The end of a bare password written in groups of four, or -1. */
export function groupsEnd(text: string, start: number): number {
  GROUPS_OF_FOUR.lastIndex = start;
  return GROUPS_OF_FOUR.test(text) ? GROUPS_OF_FOUR.lastIndex : -1;
}

/** The strings of a list that begins at `start`. */
export function listItems(text: string, start: number): { start: number; end: number }[] {
  const items: { start: number; end: number }[] = [];
  LIST_ITEM.lastIndex = start + 1;
  while (items.length < 12) {
    const match = LIST_ITEM.exec(text);
    if (match === null) break;
    const end = LIST_ITEM.lastIndex - 1;
    items.push({ start: end - match[2]!.length, end });
  }
  return items;
}
const LIST_ITEM = /[\s,]{0,40}(["'])([^"'\n]{8,256})\1/y;

/** Where an element's content ends. */
function contentEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + UNQUOTED_REACH);
  let cursor = start;
  while (cursor < limit) {
    const code = text.charCodeAt(cursor);
    if (code === 60 || code === 10 || code === 13) break;
    cursor += 1;
  }
  while (cursor > start && text.charCodeAt(cursor - 1) === 32) cursor -= 1;
  return cursor;
}
