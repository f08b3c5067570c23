import type { WindowTurnView } from '@infold/protocol';
import {
  type KeyboardEvent,
  lazy,
  type PointerEvent,
  Suspense,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { compact } from '../../design/data/format.ts';
import { useMedia } from '../../design/hooks/use-media.ts';
import { useWidth } from '../../design/hooks/use-width.ts';
import { drawBars, labelled, pitchFor, type Scale, type Series } from './bars.ts';
import styles from './chart.module.css';
import { spokenTurn } from './turn-words.ts';

const TurnTip = lazy(() => import('./turn-tip.tsx'));

/** There is room for more where the turn stands beside it. */
const LOW = 220;
const HIGH = 400;
const IS_WIDE = '(min-width: 1700px)';

interface ChartProps {
  turns: readonly WindowTurnView[];
  series: readonly Series[];
  scale: Scale;
  chosen: WindowTurnView;
  /** With `replace`, going back skips it: somebody goes along the turns by keys. */
  onChoose: (turn: WindowTurnView, replace: boolean) => void;
}

/** Keys go along the turns, as along a slider; `Page` keys in larger steps. */
const STEPS: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowLeft: (place) => place - 1,
  ArrowDown: (place) => place - 1,
  ArrowRight: (place) => place + 1,
  ArrowUp: (place) => place + 1,
  PageUp: (place) => place + 10,
  PageDown: (place) => place - 10,
  Home: () => 0,
  End: (_, last) => last,
};

/** A bar for every prompt: what it held, what of it came from the cache, and what left. */
export function Chart({ turns, series, scale, chosen, onChoose }: ChartProps) {
  const [measure, width] = useWidth();
  const height = useMedia(IS_WIDE) ? HIGH : LOW;
  const scroller = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  const [hovered, setHovered] = useState<number>();
  const pitch = pitchFor(width, turns.length);
  const place = turns.indexOf(chosen);
  useInSight(scroller, place, pitch, turns.length);

  const placeAt = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const at = Math.floor((clientX - currentTarget.getBoundingClientRect().left) / pitch);
    return at >= 0 && at < turns.length ? at : undefined;
  };
  const onKey = (event: KeyboardEvent) => {
    const last = turns.length - 1;
    const next = STEPS[event.key]?.(place, last);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChoose(turns[Math.min(last, Math.max(0, next))]!, true);
  };
  const tip = hovered === undefined ? undefined : turns[hovered];
  return (
    <div className={styles.chart}>
      <Axis scale={scale} height={height} />
      <div className={styles.stage} ref={measure}>
        <div
          ref={scroller}
          role="slider"
          tabIndex={0}
          aria-label="Turn"
          aria-orientation="horizontal"
          aria-valuemin={turns[0]!.turn}
          aria-valuemax={turns.at(-1)!.turn}
          aria-valuenow={chosen.turn}
          aria-valuetext={spokenTurn(chosen, turns.length)}
          className={styles.scroller}
          onKeyDown={onKey}
          onScroll={(event) => setOffset(event.currentTarget.scrollLeft)}
        >
          <div
            className={styles.canvas}
            style={{ width: Math.max(width, turns.length * pitch) }}
            onPointerMove={(event) => setHovered(placeAt(event))}
            onPointerLeave={() => setHovered(undefined)}
            onClick={() => hovered !== undefined && onChoose(turns[hovered]!, false)}
            onPointerDown={(event) => setHovered(placeAt(event))}
            aria-hidden
          >
            <Drawing {...{ turns, series, scale, pitch, height, offset, width, place, hovered }} />
          </div>
        </div>
        {tip && (
          <Suspense>
            <TurnTip turn={tip} series={series} x={(hovered! + 0.5) * pitch - offset} width={width} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

interface DrawingProps extends Pick<ChartProps, 'turns' | 'series' | 'scale'> {
  height: number;
  pitch: number;
  offset: number;
  width: number;
  place: number;
  hovered: number | undefined;
}

function Drawing({ turns, series, scale, pitch, height, offset, width, place, hovered }: DrawingProps) {
  const stripes = useId();
  const first = Math.floor(offset / pitch) - 1;
  const last = Math.ceil((offset + width) / pitch) + 1;
  const bars = useMemo(
    () => drawBars(turns, series, { pitch, height, scale, first, last }),
    [turns, series, pitch, height, scale, first, last],
  );
  const whole = Math.max(width, turns.length * pitch);
  const y = (tokens: number) => height - (tokens / scale.top) * height;
  const column = (at: number, className: string | undefined) => (
    <rect x={at * pitch} y={0} width={pitch} height={height} className={className} />
  );
  return (
    <svg width={whole} height={height + 20} className={styles.drawing} aria-hidden="true">
      <defs>
        <pattern
          id={stripes}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="2.5" height="5" className={styles.stripe} />
        </pattern>
      </defs>
      {scale.ticks.map((tick) => (
        <line key={tick} x1={0} x2={whole} y1={y(tick)} y2={y(tick)} className={styles.grid} />
      ))}
      {hovered !== undefined && column(hovered, styles.hovered)}
      {column(place, styles.chosen)}
      <path d={bars.gone} className={styles.gone} />
      {series.map(({ key, colour }, index) => (
        <path key={key} d={bars.series[index]} style={{ fill: `var(${colour})` }} />
      ))}
      <path d={bars.cached} fill={`url(#${stripes})`} />
      <path d={bars.untouched} className={styles.untouched} />
      {scale.limit !== undefined && (
        <line x1={0} x2={whole} y1={y(scale.limit)} y2={y(scale.limit)} className={styles.limit} />
      )}
      {bars.failed.map(({ x, y: top }) => (
        <path key={x} d={`M${x - 3} ${top - 10}l6 6m0 -6l-6 6`} className={styles.failed} />
      ))}
      {labelled(turns.length, pitch)
        .filter((at) => at >= first && at <= last)
        .map((at) => (
          <text key={at} x={(at + 0.5) * pitch} y={height + 15} className={styles.number}>
            {turns[at]!.turn}
          </text>
        ))}
      {column(place, styles.frame)}
    </svg>
  );
}

function Axis({ scale, height }: { scale: Scale; height: number }) {
  const bottom = (tokens: number) => ({ bottom: `${(tokens / scale.top) * height + 20}px` });
  return (
    <div className={styles.axis} style={{ height: height + 20 }} aria-hidden>
      {scale.ticks.map((tick) => (
        <span key={tick} style={bottom(tick)}>
          {compact(tick)}
        </span>
      ))}
    </div>
  );
}

/** The chosen turn is in sight, and with it the newest ones while the page goes on with the conversation. */
function useInSight(
  scroller: React.RefObject<HTMLDivElement | null>,
  place: number,
  pitch: number,
  turns: number,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element || turns === 0) return;
    const from = place * pitch;
    if (from < element.scrollLeft) element.scrollLeft = from - pitch;
    else if (from + pitch > element.scrollLeft + element.clientWidth) {
      element.scrollLeft = from + 2 * pitch - element.clientWidth;
    }
  }, [scroller, place, pitch, turns]);
}
