import type { WindowTurnView } from '@infold/protocol';
import { count, share, timeOfDay } from '../../design/data/format.ts';
import { cachedShare, leftOf, type Series, stackOf } from './bars.ts';
import styles from './turn-tip.module.css';

interface TurnTipProps {
  turn: WindowTurnView;
  series: readonly Series[];
  /** Where the turn stands, from the left of the chart. */
  x: number;
  width: number;
}

const WIDTH = 232;

/** The figures of the turn that somebody points at. They are said again beside the chart for the one that is chosen. */
export default function TurnTip({ turn, series, x, width }: TurnTipProps) {
  const stack = stackOf(turn, series);
  const cached = cachedShare(turn);
  const isRight = x < width / 2;
  const left = Math.max(0, Math.min(width - WIDTH, isRight ? x + 14 : x - WIDTH - 14));
  return (
    <div className={styles.tip} style={{ left, width: Math.min(WIDTH, width) }} aria-hidden>
      <p className={styles.title}>
        <span>Turn {turn.turn}</span>
        <span>{timeOfDay(Date.parse(turn.at))}</span>
      </p>
      <dl className={styles.lines}>
        {series.map(
          ({ key, name, colour }, index) =>
            stack[index]! > 0 && (
              <div key={key}>
                <dt>
                  <span className={styles.swatch} style={{ background: `var(${colour})` }} />
                  <span className={styles.name}>{name}</span>
                </dt>
                <dd>{count(stack[index]!)}</dd>
              </div>
            ),
        )}
        <div className={styles.sum}>
          <dt>Sent</dt>
          <dd>≈ {count(turn.tokens.sent)}</dd>
        </div>
        <div>
          <dt>Left out</dt>
          <dd>≈ {count(leftOf(turn))}</dd>
        </div>
        <div>
          <dt>Read from cache</dt>
          <dd>{cached === undefined ? 'not known' : share(cached)}</dd>
        </div>
      </dl>
    </div>
  );
}
