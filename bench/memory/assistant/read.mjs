import { readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {import('../retrieval/material.mjs').Turn} Turn
 * @typedef {import('../retrieval/material.mjs').Question} Question
 */

export const KINDS = [
  ...['fact', 'code', 'plan', 'preference', 'instruction', 'update', 'order', 'time', 'multi', 'language'],
  'none',
];

/**
 * Reads conversations of a person with an assistant. A line `=== session DAY TIME`, `=== user LABEL`, `=== assistant LABEL` or
 * `=== question KIND: TEXT => LABELS` is a mark; all else is the text of the message above it. A question of the kind `none` has
 * no answer, and is written with `=> -`.
 *
 * @param {URL} folder
 * @returns {{ conversations: Map<string, Turn[]>, questions: Question[] }}
 */
export function readConversations(folder) {
  /** @type {Map<string, Turn[]>} */
  const conversations = new Map();
  /** @type {Question[]} */
  const questions = [];
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()) {
    const name = file.slice(0, -'.txt'.length);
    const read = readOne(name, readFileSync(new URL(file, folder), 'utf8'));
    conversations.set(name, read.turns);
    questions.push(...read.questions);
  }
  return { conversations, questions };
}

const MARK = /^=== (?:session (\S+) (\S+)|(user|assistant) (\w+)|question (\w+): (.+) => (.+))$/;

/** @param {string} name @param {string} text */
function readOne(name, text) {
  /** @type {Turn[]} */
  const turns = [];
  /** @type {Question[]} */
  const questions = [];
  let sessions = 0;
  let begin = 0;
  /** @type {Turn | undefined} */
  let open;
  for (const line of text.split('\n')) {
    const mark = MARK.exec(line);
    if (!mark) {
      if (line.startsWith('=== ')) throw new Error(`${name}: cannot read "${line}"`);
      if (open) open.content += `${line}\n`;
      continue;
    }
    const [, day, time, role = '', label = '', kind, asked = '', labels = ''] = mark;
    open = undefined;
    if (day) {
      sessions++;
      begin = Date.parse(`${day}T${time}:00Z`);
    } else if (kind) {
      const evidence = labels === '-' ? [] : labels.split(' ').map((one) => `${name}/${one}`);
      questions.push({ conversation: name, kind, text: asked, evidence });
    } else {
      const ordinal = turns.filter(({ thread }) => thread === `${name}-${sessions}`).length + 1;
      open = {
        ...{ id: `${name}/${label}`, content: '', author: role, thread: `${name}-${sessions}`, ordinal },
        // A minute apart, as people write.
        at: new Date(begin + ordinal * 60_000).toISOString(),
        source: `${name}/${label}`,
      };
      turns.push(open);
    }
  }
  for (const turn of turns) turn.content = turn.content.trim();
  const known = new Set(turns.map(({ source }) => source));
  const lost = questions.flatMap(({ evidence }) => evidence).find((source) => !known.has(source));
  if (lost) throw new Error(`${name}: there is no message ${lost}`);
  return { turns, questions };
}
