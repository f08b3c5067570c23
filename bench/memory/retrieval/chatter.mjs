import { randomFrom } from './bulk.mjs';

const SUBJECTS =
  'the dog|my sister|my mum|the new job|the flat|the garden|the choir|the school|my knee|the holiday|the train|the kitchen|a cake|the cat|our neighbour|the wedding|the library|the doctor|my dad|the film|a book|the report|the server|the release|the invoice|the import|the meeting|the run|the lake|the exhibition|the camera|the thesis|the music|the bread|the loan|the map|the car|the party|the present|the weather'.split(
    '|',
  );
const VERBS =
  'was fine in the end|took longer than I thought|made me laugh|cost a lot of money|is still a mess|was better than last year|needs some work|keeps me busy|went well|was a surprise|is on my list|makes me tired|was lovely|is not what I expected|worries me a little|is finally done|has been on my mind|will have to wait'.split(
    '|',
  );
const OPENINGS =
  'Hi {other}!|Hey {other}, how are you?|Good to hear from you, {other}.|So,|Honestly,|You know,|By the way,|Oh,|Well,|I was thinking,|Guess what,|Yes,|No,|Sure,|Ha!|Wow,|True,|I agree,|Maybe,|'.split(
    '|',
  );
const ENDINGS =
  'What about you?|Did you hear about it?|We should talk about it soon.|Let me know what you think.|I hope you are well.|I saw it last week.|That was yesterday.|It starts at nine.|We did it twice this month.|I will tell you more on Saturday.|Can you imagine?|Anyway, take care!|It was on Tuesday, I think.|My colleague said the same.|I bought two of them.|I love it.|I need a break.|||'.split(
    '|',
  );

const SESSIONS_BETWEEN = 5;
const TURNS = 18;
const DAY = 86_400_000;

/**
 * Small talk around the hand-written sessions: the same people, the same subjects, no answers.
 *
 * @param {string} name
 * @param {string[]} people
 * @param {string[]} days when the hand-written sessions were
 */
export function* chatter(name, people, days) {
  const random = randomFrom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  /** @param {string[]} list */
  const pick = (list) => list[Math.floor(random() * list.length)] ?? '';
  for (const [index, day] of days.entries()) {
    for (let session = 1; session <= SESSIONS_BETWEEN; session++) {
      const at = new Date(Date.parse(day) + session * 5 * DAY).toISOString();
      for (let ordinal = 1; ordinal <= TURNS; ordinal++) {
        const author = people[ordinal % people.length] ?? '';
        const other = people[(ordinal + 1) % people.length] ?? '';
        const opening = pick(OPENINGS).replace('{other}', other);
        const subject = pick(SUBJECTS);
        const sentence = `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${pick(VERBS)}.`;
        const second = random() < 0.4 ? ` And ${pick(SUBJECTS)} ${pick(VERBS)}.` : '';
        const source = `${name}/talk-${index + 1}-${session}:${ordinal}`;
        yield {
          id: source,
          content: `${opening} ${sentence}${second} ${pick(ENDINGS)}`.trim(),
          author,
          thread: `${name}-talk-${index + 1}-${session}`,
          ordinal,
          at,
          source,
        };
      }
    }
  }
}
