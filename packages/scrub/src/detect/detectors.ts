import { endsToken, isAlphanumeric, isDigit, isLower, isUpper, startsToken } from '../text/characters.ts';
import type { Window } from '../text/escapes.ts';
import { isMonotonous, looksDrawn, looksRandom, variety } from '../text/randomness.ts';
import {
  type Assignment,
  groupsEnd,
  listItems,
  looseRunEnd,
  nameEndOf,
  nameStartOf,
  readAssignment,
  runEnd,
  type TextWithRun,
} from './assignment.ts';
import { looksChosen } from './chosen-passwords.ts';
import { announcedPassword, commandLogin, cookieValues, schemeValue, urlPassword } from './credentials.ts';
import {
  chainKey,
  goPassword,
  jwkSecrets,
  kubernetesSecret,
  passwordHash,
  promptedPassword,
} from './documents.ts';
import { judgeAssignment } from './judge-assignment.ts';
import { privateKeyBlock, puttyKey } from './private-keys.ts';
import { type ContextRule, type Finding, Rank, type TokenRule } from './types.ts';

/** One pass over one text: what was found so far, and what need not be looked at again. */
export interface Pass extends TextWithRun {
  /** How many encodings the text was taken out of. */
  depth: number;
  findings: Finding[];
  /** Text before this is already part of a finding of its own format. */
  covered: number;
  /** The end of the name that was judged last: several words of one name lead to it. */
  judgedName: number;
  /** The end of the value that was found last by its name. */
  guessedTo: number;
  /** How far cookies were read, and JSON Web Keys. */
  cookiesTo: number;
  keysTo: number;
  /** Users' rules whose keyword was seen. */
  switchedOn: Set<number>;
  /** Stretches with escapes, to be searched decoded. */
  escapes: Window[];
  /** How far base64 was decoded already, in each of the four steps it can be read in. */
  decodedTo: [number, number, number, number];
  /** For each rule, the end of the last run that was too long for it. */
  refused: Map<TokenRule, number>;
}

/** Runs where a literal was found at [start, end). */
export type Detector = (pass: Pass, start: number, end: number) => void;

const DEFAULT_ENTROPY = 2.2;
const SAME_COMMAND = 40;

function report(pass: Pass, finding: Finding | undefined): void {
  if (finding === undefined) return;
  pass.findings.push(finding);
  if (finding.rank === Rank.format && finding.end > pass.covered) pass.covered = finding.end;
}

function isVaried(value: string, least: number): boolean {
  const measured = variety(value);
  return measured.bits >= least && !isMonotonous(value, measured);
}

/** Compiles a source the first time it is needed: most rules never meet their keyword. */
function lazily(source: string, flags: string): () => RegExp {
  let compiled: RegExp | undefined;
  return () => {
    compiled ??= new RegExp(source, flags);
    return compiled;
  };
}

export function tokenDetector(rule: TokenRule, keyword: string): Detector {
  const pattern = lazily(rule.pattern, rule.group === undefined ? flagsOf(rule) : `${flagsOf(rule)}d`);
  const left = rule.left ?? 'word';
  const right = rule.right ?? 'word';
  const least = rule.entropy ?? DEFAULT_ENTROPY;
  // What only its place tells may be a part of a format that is known: it names and covers nothing for sure.
  const rank = rule.guess === true ? Rank.guess : rule.chosen === true ? Rank.context : Rank.format;
  const lead = rule.lead === undefined ? undefined : leadReader(rule.lead);
  return (pass, start, end) => {
    const { text } = pass;
    if (rule.ignoreCase !== true && !text.startsWith(keyword, start)) return;
    if (!startsToken(text, start, left)) return;
    // The same long run, met at each of many keywords in it, is refused once.
    if (pass.refused.size > 0 && start < (pass.refused.get(rule) ?? 0)) return;
    const tokenStart = lead === undefined ? start : lead(text, start);
    if (tokenStart === -1) return;
    const expression = pattern();
    expression.lastIndex = end;
    let from = end;
    let to = end;
    if (rule.group === undefined) {
      // Without a group no match object is needed, which halves the cost.
      if (!expression.test(text)) return;
      to = expression.lastIndex;
      if (!endsToken(text, to, right)) {
        pass.refused.set(rule, to);
        return;
      }
    } else {
      const match = expression.exec(text);
      if (match === null) {
        // A program's name again within these characters belongs to the same command.
        if (rule.chosen === true && text.charCodeAt(end) === 32) pass.refused.set(rule, end + SAME_COMMAND);
        return;
      }
      if (!endsToken(text, expression.lastIndex, right)) {
        pass.refused.set(rule, expression.lastIndex);
        return;
      }
      [from, to] = match.indices![rule.group]!;
      if (text.startsWith('[REDACTED:', from)) return;
    }
    if (rule.chosen === true) {
      if (!looksChosen(text.slice(from, Math.min(to, from + 256)))) {
        pass.refused.set(rule, to);
        return;
      }
    } else if (least > 0) {
      const body = text.slice(from, Math.min(to, from + 256));
      if (!isVaried(body, least) || (rule.random !== undefined && !looksRandom(body, rule.random))) {
        pass.refused.set(rule, to);
        return;
      }
    }
    // A finding that does not cover what it found would be made again at every keyword inside it.
    if (rank !== Rank.format) pass.refused.set(rule, to);
    report(pass, { start: rule.group === undefined ? tokenStart : from, end: to, kind: rule.kind, rank });
  };
}

/** Reads back over the characters that a token has before its keyword; -1 if they are too few or too many. */
function leadReader(lead: NonNullable<TokenRule['lead']>): (text: string, end: number) => number {
  let accepted: Uint8Array | undefined;
  return (text, end) => {
    accepted ??= acceptedCodes(lead.characters);
    const limit = Math.max(-1, end - lead.most - 2);
    let start = end;
    while (
      start - 1 > limit &&
      accepted[text.charCodeAt(start - 1)] === 1 &&
      !isEscapedLetter(text, start - 1)
    )
      start -= 1;
    const length = end - start;
    if (length < lead.least || length > lead.most || followsMarker(text, start)) return -1;
    return lead.begins === undefined || text.startsWith(lead.begins, start) ? start : -1;
  };
}

/** The n, r or t of `\\n`, `\\r`, `\\t`. */
function isEscapedLetter(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return (code === 110 || code === 114 || code === 116) && text.charCodeAt(position - 1) === 92;
}

/** What was redacted right before belonged to the same run, which then was too long. */
function followsMarker(text: string, start: number): boolean {
  return (
    text.charCodeAt(start - 1) === 93 &&
    /\[REDACTED:[a-z0-9-]{1,64}\]$/.test(text.slice(Math.max(0, start - 80), start))
  );
}

function acceptedCodes(characters: string): Uint8Array {
  const test = new RegExp(characters);
  return Uint8Array.from({ length: 128 }, (_, code) => (test.test(String.fromCharCode(code)) ? 1 : 0));
}

const flagsOf = (rule: { ignoreCase?: boolean }): string => (rule.ignoreCase === true ? 'iy' : 'y');

/** From a provider's name to the value: the rest of the name, a few words, then an operator. */
const CONTEXT_GAP = new RegExp(
  '[\\w.-]{0,40}(?:[ \\t][\\w.-]{1,20}){0,4}?' +
    '(?:["\']?,?\\s{1,40}["\']?value["\']?[ \\t]{0,4}[:=]|\\\\{0,3}["\'`]?[\\])]{0,2}[ \\t]{0,40}(?:={1,3}>?|:{1,3}=?|\\?=|\\.=|\\+=|\\|{1,2}=?|->|,|>|\\()|[ \\t](?:is|was|be|to)(?=[ \\t]))' +
    '(?:[ \\t]{0,4}string[ \\t]{0,4}=)?\\s{0,40}(?:value["\']?[=:][ \\t]?)?(?:Bearer[ ]|Token[ ]|Basic[ ])?\\\\{0,3}["\'`]?',
  'y',
);

export function contextDetector(rule: ContextRule): Detector {
  // The end is part of the expression, so that it can try its next alternative.
  const value = lazily(`(?:${rule.value})(?![A-Za-z0-9_-])`, flagsOf(rule));
  const random = rule.random ?? 10;
  return (pass, start, end) => {
    const { text } = pass;
    if (!isWholeWord(text, start, end) || isHost(text, end)) return;
    CONTEXT_GAP.lastIndex = end;
    if (!CONTEXT_GAP.test(text)) return;
    const from = CONTEXT_GAP.lastIndex;
    const expression = value();
    expression.lastIndex = from;
    const match = expression.exec(text);
    if (match === null) return;
    const to = from + match[0].length;
    if (!isVaried(match[0], rule.entropy ?? DEFAULT_ENTROPY)) return;
    if (random > 0 && !looksRandom(match[0], random) && !looksDrawn(match[0])) return;
    report(pass, { start: from, end: to, kind: rule.kind, rank: Rank.context });
  };
}

/** In prose most names of providers stand in addresses: `github.com/…`. */
function isHost(text: string, end: number): boolean {
  const after = text.charCodeAt(end);
  return (
    after === 47 || (after === 46 && (text.startsWith('com', end + 1) || text.startsWith('io', end + 1)))
  );
}

/** A provider's name is a word of its own: `okta` in `oktaToken`, not in `rookTable`. */
function isWholeWord(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  const before = text.charCodeAt(start - 1);
  if (start > 0 && (isLower(before) ? !isUpper(first) : isUpper(before) && isUpper(first))) return false;
  // Longer names may run on (`telegrambot`); short ones would be found inside other words.
  if (end - start > 5) return true;
  const last = text.charCodeAt(end - 1);
  const after = text.charCodeAt(end);
  return !(isLower(after) || (isUpper(after) && isUpper(last) && !isLower(text.charCodeAt(end + 1))));
}

export const nameDetector: Detector = (pass, start, end) => {
  // A name inside a value that goes as a whole needs no verdict of its own.
  if (start < pass.guessedTo) return;
  const nameEnd = nameEndOf(pass.text, end);
  if (nameEnd === pass.judgedName) return;
  pass.judgedName = nameEnd;
  const assignment = readAssignment(pass, start, nameEnd);
  if (assignment === undefined) {
    judgeList(pass, nameEnd);
    return;
  }
  skipScheme(pass, assignment);
  if (judged(pass, assignment) || assignment.quoted) return;
  const { valueStart } = assignment;
  if (assignment.syntax === 'env' && bracketInside(pass.text, assignment)) {
    assignment.valueEnd = looseRunEnd(pass.text, valueStart);
    judged(pass, assignment);
  } else if (assignment.valueEnd - valueStart === 4 && pass.text.charCodeAt(valueStart + 4) === 32) {
    const end = groupsEnd(pass.text, valueStart);
    if (end !== -1) judged(pass, { ...assignment, valueEnd: end, quoted: true, syntax: 'plain' });
  }
};

const LIST = /["']?[ \t]{0,4}[:=][ \t]{0,4}\[/y;
/** `"keys": ["…", "…"]`: each item is judged as if it stood alone under the name. */
function judgeList(pass: Pass, nameEnd: number): void {
  LIST.lastIndex = nameEnd;
  if (!LIST.test(pass.text)) return;
  const nameStart = nameStartOf(pass.text, nameEnd);
  for (const { start, end } of listItems(pass.text, LIST.lastIndex - 1)) {
    judged(pass, { nameStart, nameEnd, valueStart: start, valueEnd: end, quoted: true, syntax: 'plain' });
  }
}

function judged(pass: Pass, assignment: Assignment): boolean {
  const kind = judgeAssignment(pass, assignment);
  if (kind === undefined) return false;
  pass.guessedTo = assignment.valueEnd;
  report(pass, { start: assignment.valueStart, end: assignment.valueEnd, kind, rank: Rank.guess });
  return true;
}

/** A bracket with more of the same word behind it: `NAME=s0H]V4(Kz`, but not `NAME=call()`. */
function bracketInside(text: string, { nameStart, nameEnd, valueEnd }: Assignment): boolean {
  return (
    ')]}([{'.includes(text[valueEnd] ?? ' ') &&
    isAlphanumeric(text.charCodeAt(valueEnd + 1)) &&
    !/[a-z]/.test(text.slice(nameStart, nameEnd))
  );
}

const SCHEME =
  /(?:api-?token|apikey|token|bearer|basic|key|digest|ssws|bot|oauth|negotiate|splunk)[ ]{1,3}(?=\S)/iy;

const isLastOfAuthorization = (code: number): boolean => code === 110 || code === 78;

/** Schemes of one provider only: `GenieKey`, `Zoho-oauthtoken`, `Snowflake Token=`. */
const ANY_SCHEME = /[A-Za-z][\w-]{1,24}(?:[ ][Tt]oken=?)?[ ]{1,3}["']?(?=[^\s"'])/y;

/** `Authorization: Token abc`: the scheme is not the secret, the word after it is. */
function skipScheme(pass: Pass, assignment: Assignment): void {
  SCHEME.lastIndex = assignment.valueStart;
  let start = SCHEME.test(pass.text) ? SCHEME.lastIndex : -1;
  if (
    start === -1 &&
    isLastOfAuthorization(pass.text.charCodeAt(assignment.nameEnd - 1)) &&
    /authorization$/i.test(pass.text.slice(assignment.nameEnd - 13, assignment.nameEnd))
  ) {
    ANY_SCHEME.lastIndex = assignment.valueStart;
    if (ANY_SCHEME.test(pass.text)) start = ANY_SCHEME.lastIndex;
  }
  if (start === -1) return;
  assignment.valueStart = start;
  if (!assignment.quoted) assignment.valueEnd = runEnd(pass, assignment.valueStart);
}

/** The end of the marker whose words begin at `start`, or `start` if it is none. */
function markerEnd(text: string, start: number, afterColon: number): number {
  if (!text.startsWith('[REDACTED:', start)) return start;
  let cursor = afterColon;
  while (cursor < afterColon + 64 && isKindCharacter(text.charCodeAt(cursor))) cursor += 1;
  return cursor > afterColon && text.charCodeAt(cursor) === 93 ? cursor + 1 : start;
}
const isKindCharacter = (code: number): boolean => isLower(code) || isDigit(code) || code === 45;

const scheme =
  (name: string): Detector =>
  (pass, start, end) => {
    if (startsToken(pass.text, start, 'strict')) report(pass, schemeValue(pass.text, end, name));
  };

/** Findings that take more than a prefix and a pattern. */
export const specialDetectors: readonly (readonly [string, Detector])[] = [
  // What was redacted before stays as it is, and the words in its kind lead nowhere.
  [
    '[redacted:',
    (pass, start, end) => {
      pass.covered = Math.max(pass.covered, markerEnd(pass.text, start, end));
    },
  ],
  ['-----begin ', (pass, start) => report(pass, privateKeyBlock(pass.text, start))],
  ['putty-user-key-file-', (pass, start) => report(pass, puttyKey(pass.text, start))],
  ['://', (pass, _start, end) => report(pass, urlPassword(pass.text, end))],
  ['bearer', scheme('bearer')],
  ['basic', scheme('basic')],
  ['identified by', (pass, _start, end) => report(pass, announcedPassword(pass.text, end))],
  [
    '"kty"',
    (pass, start) => {
      if (start < pass.keysTo) return;
      const keys = jwkSecrets(pass.text, start);
      pass.findings.push(...keys.findings);
      pass.keysTo = keys.end;
    },
  ],
  ['kind: secret', (pass, _start, end) => pass.findings.push(...kubernetesSecret(pass.text, end))],
  ['@tcp(', (pass, start) => report(pass, goPassword(pass.text, start))],
  ...['send "', "send '", 'send -- "', 'sendline("', "sendline('"].map((literal): [string, Detector] => [
    literal,
    (pass, start, end) => report(pass, promptedPassword(pass.text, start, end)),
  ]),
  ...[
    '$2a$',
    '$2b$',
    '$2y$',
    '$1$',
    '$5$',
    '$6$',
    '$y$',
    '$apr1$',
    '$argon2',
    '{ssha',
    '{sha}',
    'pbkdf2_sha',
  ].map((literal): [string, Detector] => [
    literal,
    (pass, start) => report(pass, passwordHash(pass.text, start)),
  ]),
  ['0x', (pass, start) => report(pass, chainKey(pass.text, start))],
  ['@unix(', (pass, start) => report(pass, goPassword(pass.text, start))],
  ['pw:', (pass, start) => nameDetector(pass, start, start + 2)],
  ['pw=', (pass, start) => nameDetector(pass, start, start + 2)],
  ['pw =', (pass, start) => nameDetector(pass, start, start + 2)],
  ['pw for ', (pass, start) => nameDetector(pass, start, start + 2)],
  ['pw is ', (pass, start) => nameDetector(pass, start, start + 2)],
  ['sshpass -p', (pass, _start, end) => report(pass, announcedPassword(pass.text, end))],
  [
    'cookie',
    (pass, start, end) => {
      if (start < pass.cookiesTo) return;
      const cookies = cookieValues(pass.text, end);
      pass.findings.push(...cookies.findings);
      pass.cookiesTo = cookies.end;
    },
  ],
  ['--user', (pass, _start, end) => report(pass, commandLogin(pass.text, end))],
  [' -u', (pass, _start, end) => report(pass, commandLogin(pass.text, end))],
];
