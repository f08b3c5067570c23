/** What a passage holds besides its words, for goals that ask for it. */
export const FLAG = { time: 1, number: 2, question: 4, duration: 8, name: 16, quoted: 32 } as const;

const NUMBER =
  /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|million|twice|couple|half|first|second|third)\b/i;
const DURATION =
  /\b(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several|half an?)[ -](minute|hour|day|night|week|month|year|decade)s?\b|\bsince\b|\ball (day|week|year)\b/i;
/** A capital letter that does not begin a sentence, less "I". */
const NAME = /[a-z,;:] (?!I\b)[A-Z][\p{L}]+/u;

export function flagsOf(text: string, hasTime: boolean): number {
  let flags = hasTime ? FLAG.time : 0;
  if (NUMBER.test(text)) flags |= FLAG.number;
  if (/\?\s*$/.test(text)) flags |= FLAG.question;
  if (DURATION.test(text)) flags |= FLAG.duration;
  if (NAME.test(text)) flags |= FLAG.name;
  if (/["“”]/.test(text)) flags |= FLAG.quoted;
  return flags;
}
