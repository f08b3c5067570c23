import { useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Time } from '../../design/data/figures.tsx';
import { bytes, compact, count, milliseconds, plural, share } from '../../design/data/format.ts';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type Reading, type ReadingName, rateOf, ratesOf, valuesOf } from './history.ts';
import styles from './page.module.css';
import { useReadings } from './readings.ts';
import { Tile } from './tile.tsx';

const MINUTE = 60_000;
/** From here on people notice. */
const LONG_STALL = 0.1;

export default function FiguresPage() {
  const { history, text, error, refetch } = useReadings();
  const [isOpen, setOpen] = useState(false);
  const now = history.at(-1);
  if (error && !now) return <Problem what="The figures could not be read" error={error} onRetry={refetch} />;
  if (!now) {
    return (
      <Loading what="figures">
        <Skeleton lines={3} height="6rem" />
      </Loading>
    );
  }
  return (
    <>
      {error != null && <Problem what="The figures are out of date" error={error} onRetry={refetch} />}
      <dl className={styles.tiles} aria-label="Figures of the server">
        <Calls history={history} now={now} />
        <Process history={history} now={now} />
        <Models history={history} now={now} />
      </dl>
      <div className={styles.foot}>
        <p>
          {now.startedAt !== undefined && (
            <>
              The server started <Time at={now.startedAt} />.{' '}
            </>
          )}
          Charts show the last five minutes, for as long as this page has been open.
        </p>
        <Button size="small" onClick={() => setOpen(true)}>
          All figures as text
        </Button>
      </div>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="/metrics" isSheet>
        <CodeBlock text={text ?? ''} label="All figures, in Prometheus format" isWrapped={false} />
      </Dialog>
    </>
  );
}

interface Shown {
  history: readonly Reading[];
  now: Reading;
}

const number = (value: number | undefined, format: (value: number) => string) =>
  value === undefined ? '–' : format(value);
/** It takes two readings. */
const rateIn = (history: readonly Reading[], name: ReadingName, format: (value: number) => string) => {
  const value = rateOf(history, name, MINUTE);
  return value === undefined ? '…' : format(value);
};
const rate = (value: number) => (value < 10 ? value.toFixed(1) : count(Math.round(value)));

function Calls({ history, now }: Shown) {
  return (
    <>
      <Tile
        name="Calls a second"
        value={rateIn(history, 'calls', rate)}
        note={`over the last minute; ${plural(now.calls ?? 0, 'call')}, ${plural(now.errors ?? 0, 'error')} in all; ${count(now.waiting ?? 0)} waiting`}
        values={ratesOf(history, 'calls')}
      />
      <Tile
        name="Open streams"
        value={number(now.streams, count)}
        note="responses still being sent; this page holds one"
        values={valuesOf(history, 'streams')}
      />
      <Tile
        name="Journal head"
        value={number(now.head, count)}
        note={`${rateIn(history, 'head', rate)} entries a second`}
        values={ratesOf(history, 'head')}
      />
    </>
  );
}

function Process({ history, now }: Shown) {
  const isLong = now.stall !== undefined && now.stall >= LONG_STALL;
  return (
    <>
      <Tile
        name="Longest stall"
        value={number(now.stall, (seconds) => milliseconds(seconds * 1000))}
        note="the longest the server was busy with one thing, since the last reading"
        values={valuesOf(history, 'stall')}
        {...(isLong && { tone: 'warn' as const })}
      />
      <Tile
        name="Memory"
        value={number(now.memory, bytes)}
        note="resident memory of the server"
        values={valuesOf(history, 'memory')}
      />
      <Tile
        name="Processor"
        value={rateIn(history, 'processor', share)}
        note="of one core, over the last minute"
        values={ratesOf(history, 'processor')}
      />
    </>
  );
}

function Models({ history, now }: Shown) {
  const { answers = 0, refused = 0, failedOpen = 0 } = now;
  return (
    <>
      <Tile
        name="Answers from models"
        value={compact(answers)}
        note={
          answers === 0 ? 'none yet' : refused === 0 ? 'all successful' : `${count(refused)} not successful`
        }
        values={answers === 0 ? [] : ratesOf(history, 'answers')}
        {...(refused > 0 && { tone: 'warn' as const })}
      />
      <Tile
        name="Failed open"
        value={count(failedOpen)}
        note={
          failedOpen === 0
            ? 'none yet: requests passed on unchanged because of an error'
            : 'requests passed on unchanged because of an error; the log says why'
        }
        values={failedOpen === 0 ? [] : ratesOf(history, 'failedOpen')}
        {...(failedOpen > 0 && { tone: 'bad' as const })}
      />
    </>
  );
}
