import { useState } from 'react';
import { Player } from '../../design/controls/player.tsx';
import { count } from '../../design/data/format.ts';
import { usePace } from '../../design/hooks/use-pace.ts';
import type { PodFeed, PodMessage } from '../feed/feed.ts';
import styles from './replay.module.css';

/** Messages a second. */
const SPEEDS = [1, 5, 20, 100];

interface ReplayProps {
  /** Messages of the past in order: those that are shown, and some that come then. */
  messages: readonly PodMessage[];
  feed: PodFeed;
  at: number;
  /** The first and the newest position of the pod, as far as they are known. */
  newest: number;
  go: (at: number | undefined) => void;
}

/** The past of a pod: where one is in it, step by step or at a pace. */
export function Replay({ messages, feed, at, newest, go }: ReplayProps) {
  const [speed, setSpeed] = useState(SPEEDS[1]!);
  const { isPlaying, setPlaying } = usePlaying({ messages, feed, at, newest, go }, speed);
  const shown = messages.findLast(({ seq }) => seq <= at);
  const jump = (to: number) => {
    setPlaying(false);
    go(Math.min(newest, Math.max(1, to)));
  };
  const before = messages.findLast(({ seq }) => seq < (shown?.seq ?? at));
  const after = messages.find(({ seq }) => seq > at);
  const play = () => {
    // From the beginning, where one is at the end.
    if (at >= newest) go(1);
    setPlaying(true);
  };
  return (
    <Player
      {...{
        label: 'Replay',
        step: 'message',
        isPast: true,
        isPlaying,
        speed,
        speeds: SPEEDS,
        onSpeed: setSpeed,
      }}
      onBack={at > 1 ? () => jump(before?.seq ?? at - 1) : undefined}
      onForward={at < newest ? () => jump(after?.seq ?? at + 1) : undefined}
      onPlay={play}
      onPause={() => setPlaying(false)}
      onLive={() => go(undefined)}
      at={shown && Date.parse(shown.envelope.ts)}
      where={`position ${count(at)} of ${count(newest)}`}
    >
      <input
        type="range"
        aria-label="Position in the pod"
        aria-valuetext={`position ${at} of ${newest}`}
        className={styles.range}
        min={1}
        max={Math.max(1, newest)}
        value={Math.min(at, newest)}
        onChange={(event) => jump(Number(event.target.value))}
      />
    </Player>
  );
}

/** Goes on from message to message; behind the last one it is live again. */
function usePlaying({ messages, feed, at, newest, go }: ReplayProps, speed: number) {
  const [isPlaying, setPlaying] = useState(false);
  usePace(isPlaying, speed, (steps) => {
    const from = messages.findIndex(({ seq }) => seq > at);
    if (from < 0) {
      // What comes next is being read.
      if (feed.hasNewer || feed.isReading || !feed.isBegun) return false;
      setPlaying(false);
      if (at >= newest) go(undefined);
      return false;
    }
    go(messages[Math.min(messages.length, from + steps) - 1]!.seq);
    return true;
  });
  return { isPlaying, setPlaying };
}
