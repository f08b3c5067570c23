import type { WindowDecisionView, WindowTraffic, WindowTurnView, WindowView } from '@infold/protocol';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import {
  promptTokens,
  totals,
  type WindowConversation,
  type WindowDecided,
  type WindowTotals,
  type WindowTurn,
} from './queries.ts';
import type { TrafficReport } from './requests/traffic.ts';

/** A conversation as people see it. */
export function windowView(database: Database, conversation: WindowConversation): WindowView {
  return { ...conversationView(conversation), totals: totalsView(totals(database, conversation.id)) };
}

export function conversationView(conversation: WindowConversation): Omit<WindowView, 'totals'> {
  const { id, principal, host, host_session, upstream, dialect, model, forked_from } = conversation;
  return {
    ...{ id, principal, host, host_session, upstream, dialect, model, forked_from },
    enabled: conversation.is_enabled,
    opened_at: isoTime(conversation.opened_at),
    last_at: isoTime(conversation.last_at),
    seq: conversation.last_seq,
  };
}

function totalsView(sums: WindowTotals): WindowView['totals'] {
  const money = moneyView(sums);
  return {
    requests: sums.requests,
    tokens: { asked: sums.asked_tokens, sent: sums.sent_tokens },
    usage: { requests: sums.told, prompt: promptTokens(sums), ...usageOf(sums) },
    money,
    estimated: ['tokens.asked', 'tokens.sent', ...(money ? ['money.untouched', 'money.saved'] : [])],
  };
}

export function usageOf({ input, cache_read, cache_write, cache_write_long, output }: WindowTotals) {
  return { input, cache_read, cache_write, cache_write_long, output };
}

/** Null where nothing has a price: then nothing is said about money. */
export function moneyView({
  priced: requests,
  money_actual: actual,
  money_untouched: untouched,
}: WindowTotals) {
  return requests === 0 ? null : { requests, actual, untouched, saved: untouched - actual };
}

export function turnView({ answer, ...asked }: WindowTurn): WindowTurnView {
  const { turn, parent, model, messages, held, gone, tokens, is_cold, passed } = asked;
  return {
    ...{ turn, at: isoTime(asked.at), parent, model, messages, held, gone, tokens, is_cold, passed },
    answer: answer && { ...answer, at: isoTime(answer.at) },
    estimated: [
      ...['held', 'gone', 'tokens', 'is_cold'],
      ...(answer?.money ? ['answer.money.untouched'] : []),
    ],
  };
}

export function decisionView(
  { handle, conversation, at, turn, rule, tool, tokens, effect }: WindowDecided,
  is_held: boolean,
): WindowDecisionView {
  return {
    ...{ handle, conversation, at: isoTime(at), turn, rule, tool, tokens, is_held },
    text: 'text' in effect ? effect.text : null,
  };
}

export function trafficView({ answers, unread, failed_open }: TrafficReport): WindowTraffic {
  return {
    answers,
    unread,
    failed_open: failed_open.map(({ what, count, last: { at, why } }) => ({
      ...{ what, count, last_at: isoTime(at), last: why },
    })),
  };
}
