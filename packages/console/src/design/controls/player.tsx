import { Pause, Play, Radio, SkipBack, SkipForward } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { fullTime } from '../data/format.ts';
import { Button, IconButton } from './button.tsx';
import styles from './player.module.css';

interface PlayerProps {
  label: string;
  /** What one step is: “entry”. */
  step: string;
  isPast: boolean;
  isPlaying: boolean;
  /** Undefined where it cannot be done now. */
  onBack: (() => void) | undefined;
  onForward: (() => void) | undefined;
  onPlay: (() => void) | undefined;
  onPause: () => void;
  onLive: () => void;
  speed: number;
  /** Steps a second. */
  speeds: readonly number[];
  onSpeed: (speed: number) => void;
  /** The time that is shown, and where that is. */
  at: number | undefined;
  where: string;
  /** Where one is, and how to get elsewhere. */
  children: ReactNode;
}

/** Goes through what happened, step by step or at a pace, and back to what happens now. */
export function Player(props: PlayerProps) {
  const { label, step, isPast, isPlaying, onBack, onForward, onPlay, onPause, onLive } = props;
  const { speed, speeds, onSpeed, at, where, children } = props;
  return (
    <section aria-label={label} className={classes(styles.player, isPast && styles.past)}>
      <div className={styles.controls}>
        <IconButton label={`One ${step} back`} disabled={!onBack} onClick={onBack}>
          <SkipBack aria-hidden />
        </IconButton>
        <IconButton
          label={isPlaying ? 'Pause' : 'Play'}
          disabled={!isPlaying && !onPlay}
          onClick={isPlaying ? onPause : onPlay}
        >
          {isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
        </IconButton>
        <IconButton label={`One ${step} forward`} disabled={!onForward} onClick={onForward}>
          <SkipForward aria-hidden />
        </IconButton>
        <select
          aria-label="Speed"
          className={styles.speed}
          value={speed}
          onChange={(event) => onSpeed(Number(event.target.value))}
        >
          {speeds.map((each) => (
            <option key={each} value={each}>
              {each} a second
            </option>
          ))}
        </select>
        <p className={styles.where}>
          {at !== undefined && <span>{fullTime(at)}</span>}
          <span className={styles.soft}>{where}</span>
        </p>
        <Button
          size="small"
          look={isPast ? 'main' : 'quiet'}
          icon={<Radio aria-hidden />}
          aria-pressed={!isPast}
          onClick={onLive}
        >
          Live
        </Button>
      </div>
      {children}
    </section>
  );
}
