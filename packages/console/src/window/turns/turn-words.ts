import type { WindowTurnView } from '@infold/protocol';
import { count, share } from '../../design/data/format.ts';
import { cachedShare, leftOf } from './bars.ts';

/** A turn in a sentence, for who hears it. */
export function spokenTurn(turn: WindowTurnView, turns: number): string {
  const cached = cachedShare(turn);
  const left = leftOf(turn);
  return [
    `Turn ${turn.turn} of ${turns}`,
    `about ${count(turn.tokens.sent)} tokens sent`,
    left === 0 ? 'nothing left out' : `about ${count(left)} left out`,
    cached === undefined ? 'cache not known' : `${share(cached)} read from cache`,
    ...((turn.answer?.status ?? 0) >= 400 ? [`failed with ${turn.answer!.status}`] : []),
  ].join(', ');
}
