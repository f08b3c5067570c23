import { tellsChange } from './intent/change.ts';
import { plainText } from './languages/accents.ts';
import { OTHER_LANGUAGES } from './languages/index.ts';
import type { LanguageCode } from './languages/language.ts';

/** What a passage holds besides its words, for goals that ask for it. */
export const FLAG = {
  time: 1,
  number: 2,
  question: 4,
  duration: 8,
  name: 16,
  quoted: 32,
  person: 64,
  assistant: 128,
  changed: 256,
} as const;

/** Said in a conversation of a person with an assistant. */
export const SPOKEN = FLAG.person | FLAG.assistant;

const NUMBER =
  /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|million|twice|couple|half|first|second|third)\b/i;
const DURATION =
  /\b(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several|half an?)[ -](minute|hour|day|night|week|month|year|decade)s?\b|\bsince\b|\ball (day|week|year)\b/i;
/** A capital letter that does not begin a sentence, less "I". */
const NAME = /[a-z,;:] (?!I\b)[A-Z][\p{L}]+/u;

export function flagsOf(text: string, hasTime: boolean, language: LanguageCode = 'en'): number {
  return language === 'en' ? englishFlags(text, hasTime) : flagsBy(language, text, hasTime);
}

function flagsBy(language: Exclude<LanguageCode, 'en'>, text: string, hasTime: boolean): number {
  const { number, duration } = OTHER_LANGUAGES[language];
  const plain = plainText(text);
  let flags = hasTime ? FLAG.time : 0;
  if (number.test(plain)) flags |= FLAG.number;
  if (duration.test(plain)) flags |= FLAG.duration;
  // In German every noun looks like a name.
  if (language !== 'de' && NAME.test(text)) flags |= FLAG.name;
  return flags | signsOf(text);
}

function englishFlags(text: string, hasTime: boolean): number {
  let flags = hasTime ? FLAG.time : 0;
  if (NUMBER.test(text)) flags |= FLAG.number;
  if (DURATION.test(text)) flags |= FLAG.duration;
  if (NAME.test(text)) flags |= FLAG.name;
  return flags | signsOf(text);
}

function signsOf(text: string): number {
  return (
    (tellsChange(text) ? FLAG.changed : 0) |
    (/[?？]\s*$/.test(text) ? FLAG.question : 0) |
    (/["“”„«»「」]/.test(text) ? FLAG.quoted : 0)
  );
}
