import { createHash } from 'node:crypto';

/** What is left of the work: memory for sessions to come, and a journal from which everything can be made anew. */
export function keepingChecks(facts) {
  return [...memoryChecks(facts), ...journalChecks(facts)];
}

function memoryChecks({ analyst, next }) {
  const { branches, reasoning, findings } = analyst;
  const finding = findings.at(-1);
  const learned = [
    { what: 'the finding', text: finding.text, isIt: ({ id }) => id === finding.id },
    ...branches.map(({ id, message }) => ({
      what: id,
      text: message,
      isIt: (item) => item.id === id || item.also.includes(id),
    })),
    {
      what: reasoning.id,
      text: reasoning.conclusion,
      isIt: ({ origin, source }) => origin === 'gateway' && source.endsWith(`/context/${reasoning.id}`),
    },
  ];
  const inPack = ({ items }) => learned.map(({ what, isIt }) => [what, items.find(isIt)?.content ?? null]);
  return [
    [
      'a new session: what was learned is in its pack',
      {
        analyst: learned.map(({ what, text }) => [what, text]),
        context: inPack(next.before),
        'context, after the rebuild': inPack(next.after),
      },
    ],
    [
      'a new session: the meta prompt that it knows has not changed',
      { 'answer of memory.setup': next.before.changed, expected: false },
    ],
  ];
}

function journalChecks({ journal, now, rebuilt }) {
  const { verified, rebuild, verifiedAtTheEnd } = journal;
  const figures = ({ entries, events }) => ({ entries, events });
  return [
    [
      'the journal: entries and events',
      { 'infold verify': figures(verified), 'infold rebuild': figures(rebuild) },
    ],
    [
      'the journal: its last entry',
      { 'infold verify': verified.head.seq, 'entries counted': verified.entries },
    ],
    [
      'the journal: as it was written',
      { 'infold verify': [verified.ok, verifiedAtTheEnd.ok], expected: [true, true] },
    ],
    ...Object.keys(now).map((name) => [
      `made anew from the journal: ${name}`,
      { before: digest(now[name]), 'after infold rebuild': digest(rebuilt[name]) },
    ]),
  ];
}

/** Whole answers are compared by their bytes. */
function digest(value) {
  const text = JSON.stringify(value) ?? '';
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
