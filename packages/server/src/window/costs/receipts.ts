import type { WindowReceipt } from '@infold/protocol';
import { CHECKPOINT_INTERVAL, checkpointAt } from '../../journal/integrity/checkpoints.ts';
import type { Journal } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import {
  goneByRule,
  passedBy,
  promptTokens,
  totals,
  untouchedTokens,
  type WindowConversation,
} from '../queries.ts';
import { conversationView, moneyView, usageOf } from '../views.ts';

/**
 * What a conversation cost, and would have cost, in all or since a time (milliseconds). Nothing is said of requests whose
 * answer told no usage but their number.
 */
export function receiptOf(journal: Journal, conversation: WindowConversation, since?: number): WindowReceipt {
  const { database } = journal;
  const { id, first_seq, last_seq } = conversation;
  const sums = totals(database, id, since);
  const prompt = promptTokens(sums);
  const money = moneyView(sums);
  return {
    conversation: conversationView(conversation),
    since: since === undefined ? null : isoTime(since),
    requests: {
      all: sums.requests,
      with_usage: sums.told,
      without_usage: sums.requests - sums.told,
      unanswered: sums.unanswered,
      failed: sums.failed,
      passed: passedBy(database, id, since),
    },
    tokens: {
      asked: sums.told_asked_tokens,
      sent: sums.told_sent_tokens,
      prompt,
      untouched: untouchedTokens(sums),
      ...usageOf(sums),
    },
    cache_hit_share: prompt === 0 ? null : sums.cache_read / prompt,
    gone: goneByRule(database, id, since),
    money: money && { ...money, unpriced: sums.told - money.requests },
    entries: { first: since === undefined ? first_seq : (sums.first_seq ?? last_seq), last: last_seq },
    ...coverOf(journal, last_seq),
    estimated: [
      ...['tokens.asked', 'tokens.sent', 'tokens.untouched', 'gone.tokens'],
      ...(money ? ['money.untouched', 'money.saved'] : []),
    ],
  };
}

/** The checkpoint after the last entry covers all of them. */
function coverOf(journal: Journal, last: number): Pick<WindowReceipt, 'checkpoint' | 'entries_to_go'> {
  const number = Math.ceil(last / CHECKPOINT_INTERVAL);
  const seq = number * CHECKPOINT_INTERVAL;
  const found = checkpointAt(journal.database, seq);
  if (found) return { checkpoint: { number, seq, root: found.root, key: found.key }, entries_to_go: null };
  return { checkpoint: null, entries_to_go: Math.max(0, seq - journal.head().seq) };
}

const WIDTH = 24;
const number = (value: number) => Math.round(value).toLocaleString('en-US');
const counted = (count: number, what: string) => `${number(count)} ${what}${count === 1 ? '' : 's'}`;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

export function dollarsText(amount: number): string {
  const digits = Math.abs(amount) < 1 ? 4 : 2;
  return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(digits)}`;
}

const UNPRICED = 'its models have no price; see "window.prices"';
const OWN_TOKENS =
  'What is gone is counted in Infold’s tokens, prompts in the provider’s: the sums need not add up.';

/** The receipt as people read it. What was reckoned here, and not told by the provider, has a mark. */
export function receiptText(receipt: WindowReceipt): string {
  const { conversation, since, requests, tokens, gone, money } = receipt;
  const line = (name: string, value: string, isEstimate = false) =>
    `${`${isEstimate ? '~ ' : '  '}${name}`.padEnd(WIDTH)}${value}`;
  const model = [conversation.host, conversation.model ?? conversation.dialect].filter(Boolean).join(', ');
  return [
    `Receipt of ${conversation.id} (${model})${since === null ? '' : `, since ${since}`}`,
    line('requests', requestsText(requests)),
    ...requests.passed.map(({ reason, count }) => line('  passed untouched', `${count} × ${reason}`)),
    ...(requests.with_usage === 0
      ? ['  No answer told its usage: nothing is claimed.']
      : [
          line('prompts', `${number(tokens.prompt)} tokens`),
          line(
            '  read from cache',
            `${number(tokens.cache_read)} (${percent(receipt.cache_hit_share ?? 0)})`,
          ),
          line('  written to cache', number(tokens.cache_write)),
          line('  neither', number(tokens.input)),
          line('output', `${number(tokens.output)} tokens`),
          line('prompts untouched', `${number(tokens.untouched)} tokens`, true),
        ]),
    ...gone.map(({ rule, decisions, requests: times, tokens: left }) =>
      line(
        `gone: ${rule}`,
        `${number(left)} tokens in ${counted(times, 'request')}, ${counted(decisions, 'decision')}`,
        true,
      ),
    ),
    ...(money
      ? [
          line(
            'cost',
            dollarsText(money.actual) + (money.unpriced > 0 ? ` (${money.unpriced} without a price)` : ''),
          ),
          line('cost untouched', dollarsText(money.untouched), true),
          line(money.saved < 0 ? 'cost more' : 'saved', savedText(money), true),
        ]
      : [
          line('cost', `not known: ${requests.with_usage === 0 ? 'no answer reported its usage' : UNPRICED}`),
        ]),
    line('journal', `${coverText(receipt)}; "infold verify" checks them`),
    ...(gone.length > 0 ? [OWN_TOKENS] : []),
    '~ is an estimate; the rest is what the provider reported.',
  ].join('\n');
}

function requestsText({ all, without_usage, unanswered, failed }: WindowReceipt['requests']): string {
  const apart = [
    ...(without_usage > 0 ? [`${without_usage} without usage, not counted below`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unanswered > 0 ? [`${unanswered} without an answer`] : []),
  ];
  return `${all}${apart.length > 0 ? ` (${apart.join('; ')})` : ''}`;
}

function savedText({ saved, untouched }: NonNullable<WindowReceipt['money']>): string {
  const share = untouched > 0 ? ` (${percent(Math.abs(saved) / untouched)})` : '';
  return `${dollarsText(Math.abs(saved))}${share}`;
}

function coverText({ entries: { first, last }, checkpoint, entries_to_go }: WindowReceipt): string {
  const entries = `entries ${first} to ${last}`;
  if (checkpoint) {
    return `${entries}, covered by checkpoint ${checkpoint.number} (root ${checkpoint.root.slice(0, 16)}…, signed by ${checkpoint.key})`;
  }
  return `${entries}, not yet in a checkpoint: ${entries_to_go} entries to go`;
}
