import type { WindowReceipt } from '@infold/protocol';
import { count, money, plural } from '../../design/data/format.ts';
import { wordsFor } from '../rules.ts';

export interface ReceiptLine {
  name: string;
  value: string;
  note?: string | undefined;
  /** Nobody but us has reckoned it. */
  isEstimate?: boolean;
  /** Of the line above. */
  isPart?: boolean;
  isSum?: boolean;
}

const percent = (value: number) => `${(value * 100).toFixed(1)} %`;

/** Every line of a receipt. Nothing is claimed of requests whose answer told no usage. */
export function linesOf({
  requests,
  tokens,
  gone,
  money: sums,
  cache_hit_share,
}: WindowReceipt): ReceiptLine[] {
  const hasUsage = requests.with_usage > 0;
  return [
    { name: 'Requests', value: count(requests.all), note: apart(requests) },
    ...requests.passed.map(
      ({ reason, count: times }): ReceiptLine => ({
        name: `Passed untouched: ${reason}`,
        value: count(times),
        isPart: true,
      }),
    ),
    ...(hasUsage
      ? [
          { name: 'Prompts, tokens', value: count(tokens.prompt) },
          {
            name: 'Read from cache',
            value: count(tokens.cache_read),
            note: cache_hit_share === null ? undefined : percent(cache_hit_share),
            isPart: true,
          },
          {
            name: 'Written to cache',
            value: count(tokens.cache_write),
            note: tokens.cache_write_long > 0 ? `${count(tokens.cache_write_long)} for an hour` : undefined,
            isPart: true,
          },
          { name: 'Neither', value: count(tokens.input), isPart: true },
          { name: 'Output, tokens', value: count(tokens.output) },
          { name: 'Prompts without Infold, tokens', value: count(tokens.untouched), isEstimate: true },
        ]
      : []),
    ...gone.map(
      ({ rule, decisions, requests: times, tokens: left }): ReceiptLine => ({
        name: `Left, ${wordsFor(rule).name.toLowerCase()}`,
        value: count(left),
        note: `in ${plural(times, 'request')}, ${plural(decisions, 'decision')}`,
        isEstimate: true,
      }),
    ),
    ...moneyLines(sums, hasUsage),
  ];
}

function apart({ without_usage, unanswered, failed }: WindowReceipt['requests']): string | undefined {
  const notes = [
    ...(without_usage > 0 ? [`${count(without_usage)} without usage, not counted below`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(unanswered > 0 ? [`${count(unanswered)} without an answer`] : []),
  ];
  return notes.length === 0 ? undefined : notes.join('; ');
}

function moneyLines(sums: WindowReceipt['money'], hasUsage: boolean): ReceiptLine[] {
  if (!sums) {
    const note = hasUsage ? 'its models have no price; see “window.prices”' : 'no answer reported its usage';
    return [{ name: 'Cost', value: 'not known', note, isSum: true }];
  }
  const { actual, untouched, saved, unpriced } = sums;
  return [
    {
      name: 'Cost',
      value: money(actual),
      note: unpriced > 0 ? `${plural(unpriced, 'request')} without a price` : undefined,
      isSum: true,
    },
    { name: 'Cost without Infold', value: money(untouched), isEstimate: true },
    {
      name: saved < 0 ? 'Cost more' : 'Saved',
      value: money(Math.abs(saved)),
      note: untouched > 0 ? percent(Math.abs(saved) / untouched) : undefined,
      isEstimate: true,
      isSum: true,
    },
  ];
}
