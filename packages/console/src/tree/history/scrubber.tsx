import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { Player } from '../../design/controls/player.tsx';
import { count, fullTime, plural } from '../../design/data/format.ts';
import { usePace } from '../../design/hooks/use-pace.ts';
import styles from './scrubber.module.css';
import { barsOf, type Moment, type Point, placesOf, pointAt, pointNear } from './timeline.ts';
import type { Replay } from './use-replay.ts';

/** Entries a second. */
const SPEEDS = [4, 20, 100];
const BARS = 160;

interface ScrubberProps {
  points: readonly Point[];
  /** How many points there are: they are the same list while it grows. */
  length: number;
  limit: number;
  replay: Replay;
}

/** The session's time: what happened when, where one is in it, and how to get elsewhere. */
export function Scrubber({ points, length, limit, replay }: ScrubberProps) {
  const { at, go } = replay;
  const [speed, setSpeed] = useState(SPEEDS[1]!);
  const { isPlaying, play, pause } = usePlaying(replay, points, speed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list grows in place
  const places = useMemo(() => placesOf(points), [points, length]);
  const index = at === undefined ? length - 1 : pointAt(points, at);
  const point = points[index];
  const jump = (to: number) => {
    pause();
    const target = points[Math.min(length - 1, Math.max(0, to))];
    if (target) go(target.seq);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const far = Math.max(1, Math.round(length / 20));
    const to = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      PageDown: index - far,
      PageUp: index + far,
      Home: 0,
      End: length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    jump(to);
  };
  const live = () => {
    pause();
    go(undefined);
  };
  return (
    <Player
      {...{
        label: 'Time',
        step: 'entry',
        isPast: at !== undefined,
        isPlaying,
        speed,
        speeds: SPEEDS,
        onSpeed: setSpeed,
      }}
      onBack={index > 0 ? () => jump(index - 1) : undefined}
      onForward={at !== undefined && index < length - 1 ? () => jump(index + 1) : undefined}
      onPlay={length < 2 ? undefined : play}
      onPause={pause}
      onLive={live}
      at={point?.at}
      where={point ? `${count(index + 1)} of ${plural(length, 'entry', 'entries')}` : ''}
    >
      <Track
        {...{ points, places, index, limit, onKeyDown }}
        valueText={point ? `${fullTime(point.at)}, ${count(point.tokens)} tokens open` : 'nothing yet'}
        onPlace={(place) => jump(pointNear(places, place))}
      />
    </Player>
  );
}

interface TrackProps {
  points: readonly Point[];
  places: Float64Array;
  index: number;
  limit: number;
  valueText: string;
  onKeyDown: (event: KeyboardEvent) => void;
  onPlace: (place: number) => void;
}

function Track({ points, places, index, limit, valueText, onKeyDown, onPlace }: TrackProps) {
  const track = useRef<HTMLDivElement>(null);
  const onPointer = (event: PointerEvent) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { left, width } = track.current!.getBoundingClientRect();
    onPlace(Math.min(1, Math.max(0, (event.clientX - left) / width)));
  };
  return (
    <div
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label="Position in the session"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, points.length)}
      aria-valuenow={Math.max(1, index + 1)}
      aria-valuetext={valueText}
      className={styles.track}
      onKeyDown={onKeyDown}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    >
      <Drawing points={points} places={places} limit={limit} />
      <span aria-hidden className={styles.cursor} style={{ left: `${(places[index] ?? 1) * 100}%` }} />
    </div>
  );
}

const LOOKS: Record<Moment, string> = {
  branch: styles.branch!,
  fold: styles.fold!,
  rollback: styles.rollback!,
  end: styles.end!,
};

function Drawing({ points, places, limit }: Pick<TrackProps, 'points' | 'places' | 'limit'>) {
  const bars = useMemo(() => barsOf(points, places, BARS), [points, places]);
  const highest = Math.max(limit / 20, ...bars.map(({ tokens }) => tokens));
  const line = bars.map(({ tokens }, x) => `${x + 0.5},${31 - (tokens / highest) * 26}`).join(' ');
  return (
    <svg viewBox={`0 0 ${BARS} 40`} preserveAspectRatio="none" aria-hidden="true" className={styles.drawing}>
      <polygon points={`0.5,32 ${line} ${BARS - 0.5},32`} className={styles.area} />
      {bars.map(
        ({ density, moments }, x) =>
          density > 0 && (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are places
            <g key={x}>
              <rect
                x={x + 0.1}
                width={0.8}
                y={32 - density * 12}
                height={density * 12}
                className={styles.bar}
              />
              {moments.map((moment, y) => (
                <rect key={moment} x={x} width={1} y={33.5 + y * 2} height={2} className={LOOKS[moment]} />
              ))}
            </g>
          ),
      )}
    </svg>
  );
}

/** Goes on from entry to entry; at the last one it is live again. */
function usePlaying({ at, go }: Replay, points: readonly Point[], speed: number) {
  const [isPlaying, setPlaying] = useState(false);
  usePace(isPlaying, speed, (steps) => {
    const next = points[at === undefined ? points.length : pointAt(points, at) + steps];
    if (!next) setPlaying(false);
    go(next?.seq);
    return true;
  });
  const play = () => {
    // From the beginning, where one is at the end.
    if (at === undefined || pointAt(points, at) >= points.length - 1) go(points[0]!.seq);
    setPlaying(true);
  };
  return { isPlaying, play, pause: () => setPlaying(false) };
}
