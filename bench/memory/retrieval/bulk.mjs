/**
 * Material for the benchmarks of size: dialogues in sessions, with words as rare and as common as in language.
 */

/** A generator with a seed: the same material in every run. @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const SYLLABLES =
  'ba be bi bo bu da de di do du fa fe fi ga ge go ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo za ze zo'.split(
    ' ',
  );
const PEOPLE = [
  'Amira',
  'Bruno',
  'Celia',
  'Dario',
  'Elena',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Katya',
  'Liam',
];

/** The word of this rank: 1 is the most common. @param {number} rank */
export function wordOf(rank) {
  let text = '';
  for (let rest = rank + 50; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    text += SYLLABLES[rest % SYLLABLES.length];
  }
  return text;
}

const VOCABULARY = 60_000;

/** A rank by Zipf's law, less the function words. @param {() => number} random */
export function rankFrom(random) {
  return Math.min(VOCABULARY - 1, Math.floor(Math.exp(random() * Math.log(VOCABULARY))));
}

/** @param {() => number} random @param {number} words */
export function sentence(random, words) {
  let text = '';
  for (let index = 0; index < words; index++) text += (index === 0 ? '' : ' ') + wordOf(rankFrom(random));
  return text;
}

const START = Date.UTC(2023, 0, 2, 9);
const TURNS = 24;

/**
 * Import lines: turns of dialogues between two people, 24 a session, a session a day.
 *
 * @param {number} count
 * @param {number} [seed]
 */
export function* turns(count, seed = 1) {
  const random = randomFrom(seed);
  for (let index = 0; index < count; index++) {
    const session = Math.floor(index / TURNS);
    const pair = session % 6;
    yield {
      id: `t${index}`,
      content: `${sentence(random, 8 + Math.floor(random() * 16))}.`,
      author: PEOPLE[pair * 2 + (index % 2)],
      thread: `session-${session}`,
      ordinal: index % TURNS,
      at: new Date(START + (session % 900) * 86_400_000 + (index % TURNS) * 60_000).toISOString(),
      source: `bulk/${index}`,
    };
  }
}

/** Goals of four to seven words of all ranks, some with a person or a time. @param {number} count @param {number} [seed] */
export function goals(count, seed = 7) {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const person = index % 3 === 0 ? `${PEOPLE[index % PEOPLE.length]} ` : '';
    const time = index % 7 === 0 ? ' in May 2023' : '';
    return `What did ${person}${sentence(random, 4 + (index % 4))}${time}?`;
  });
}
