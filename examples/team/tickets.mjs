/** What a model would make of the tickets and of the rules in library/triage/QUEUES.md. */

/** In the order of the rule: a ticket that fits two queues goes to the first. */
const QUEUES = [
  { queue: 'payments', words: /charge|card|invoice|refund|voucher|discount|code/i },
  { queue: 'returns', words: /return/i },
  { queue: 'shipping', words: /parcel/i },
  { queue: 'account', words: /sign-in|account|newsletter/i },
];
/** Which constraint says so. */
const CONSTRAINTS = Object.fromEntries(QUEUES.map(({ queue }, index) => [queue, `Queues/${index + 1}`]));

export const constraintFor = (queue) => CONSTRAINTS[queue];

function queueFor({ subject, text }) {
  return QUEUES.find(({ words }) => words.test(`${subject} ${text}`))?.queue;
}

/** Of each queue, the tickets of a page that are filed elsewhere. */
export function misfiled(tickets) {
  return QUEUES.map(({ queue }) => ({
    queue,
    ids: tickets.filter((ticket) => ticket.queue !== queue && queueFor(ticket) === queue).map(({ id }) => id),
  })).filter(({ ids }) => ids.length > 0);
}

const ERROR = /\bERR_[A-Z]+_\d+\b/;

/** Errors that tickets show, each with the tickets that show it. */
export function errorsIn(tickets) {
  const errors = new Map();
  for (const { id, text } of tickets) {
    const [error] = ERROR.exec(text) ?? [];
    if (error) errors.set(error, [...(errors.get(error) ?? []), id]);
  }
  return [...errors];
}

/** What tickets have in common. */
export function commonOf(tickets) {
  const version = [...new Set(tickets.map(({ app }) => app))].join(' and ');
  const [first] = tickets.map(({ opened }) => opened.slice(0, 10)).sort();
  return { version, first, ids: tickets.map(({ id }) => id) };
}
