import { readFileSync } from 'node:fs';
import { randomFrom } from '../retrieval/bulk.mjs';

const PARTS =
  'billing|catalogue|checkout|courier|depot|discount|fraud|fulfilment|identity|inventory|loyalty|mailer|metering|newsletter|pricing|refund|returns|review|routing|scheduler|shipping|sitemap|supplier|support|tax|tenant|tracking|voucher|warehouse|wishlist'.split(
    '|',
  );
const NOTES = [
  'decision: {part} keeps its settings in a table of its own, read every {number} seconds.',
  'gotcha: The cache of {part} is warm only {number} minutes after a deployment.',
  'procedure: To reindex {part}, stop its consumer, truncate the projection and start it with replay.',
  'episode: On {day} {person} raised the pool of {part} from {number} to {more} connections.',
  'decision: {part} answers with problem details, and never with a stack trace.',
  'gotcha: Tests of {part} need the clock of the container to be in UTC.',
  'episode: {person} reviewed the dashboards of {part} on {day} and removed {number} panels.',
  'rule: Changes to the public schema of {part} need two reviewers.',
  'procedure: Logs of {part} older than {number} days are moved to cold storage by a nightly job.',
  'decision: {part} talks to its neighbours over the broker, not over HTTP.',
  'gotcha: A retry in {part} without an idempotency key doubles the message.',
  'episode: A customer of {part} waited {number} minutes on {day} until {person} restarted a worker.',
  'claim: The p95 of {part} was {number} milliseconds in the week of {day}.',
];
const PEOPLE = ['Amira', 'Bruno', 'Celia', 'Dario', 'Elena', 'Farid', 'Greta', 'Hugo'];
const MONTHS = ['January', 'February', 'March', 'April', 'May'];

/** Notes that agents keep, of which each question wants one to three; and goals that none of them answers. @param {number} count */
export function readNotes(count) {
  /** @type {{ id: string, kind: string, content: string }[]} */
  const items = [];
  /** @type {{ text: string, right: string[] }[]} */
  const questions = [];
  /** @type {string[]} */
  let group = [];
  let isAsking = false;
  for (const line of readFileSync(new URL('./notes.txt', import.meta.url), 'utf8').split('\n')) {
    const text = line.slice(2);
    if (line.startsWith('+ ')) {
      if (isAsking) group = [];
      isAsking = false;
      const id = `right-${items.length}`;
      group.push(id);
      items.push({ id, ...noteFrom(text) });
    } else if (line.startsWith('? ')) {
      isAsking = true;
      questions.push({ text, right: group });
    } else if (line.startsWith('! ')) questions.push({ text, right: [] });
  }
  const random = randomFrom(5);
  const pick = (/** @type {string[]} */ list) => list[Math.floor(random() * list.length)] ?? '';
  for (let index = items.length; index < count; index++) {
    const number = 2 + Math.floor(random() * 90);
    const text = pick(NOTES)
      .replaceAll('{part}', `the ${pick(PARTS)} service`)
      .replaceAll('{person}', pick(PEOPLE))
      .replaceAll('{day}', `${1 + Math.floor(random() * 28)} ${pick(MONTHS)}`)
      .replaceAll('{number}', String(number))
      .replaceAll('{more}', String(number * 2));
    items.push({ id: `other-${index}`, ...noteFrom(text) });
  }
  return { items, questions };
}

/** @param {string} text */
function noteFrom(text) {
  const end = text.indexOf(': ');
  return { kind: text.slice(0, end), content: text.slice(end + 2) };
}
