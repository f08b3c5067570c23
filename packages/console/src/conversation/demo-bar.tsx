import { Pause, Play, RotateCcw, Square, StepForward } from 'lucide-react';
import { useAccount } from '../api/account.tsx';
import { LoadSamples } from '../app/samples.tsx';
import { Button } from '../design/controls/button.tsx';
import { plural } from '../design/data/format.ts';
import { useObservable } from '../design/hooks/observable.ts';
import { Skeleton } from '../design/layout/placeholders.tsx';
import { Table } from '../design/table/table.tsx';
import type { DemoState } from './demo.ts';
import styles from './demo-bar.module.css';
import { shortInput } from './entries.ts';
import { type CategoryMove, grouped, sentenceOfMoves } from './moves.ts';
import { useSample, useStores } from './queries.ts';

/** The reclassify workflow by the scripted agent: a call at a time, or all of them. */
export function DemoBar() {
  const { conversation, demo, connect } = useStores();
  const { may } = useAccount();
  const state = useObservable(demo.state);
  const { sample, isKnown } = useSample();
  const { status, problem } = state;
  const start = (isRunning: boolean) => void demo.start(() => connect(sample), isRunning);
  const isIdle = status === 'idle' || status === 'done';
  const isFirst = useObservable(conversation.state).entries.length === 0;
  if (!isKnown) return <Skeleton lines={1} />;
  if (!may('write')) {
    return (
      <p className={styles.words}>
        The demo stores what it finds, and your token may only read. You can call the tools that read.
      </p>
    );
  }
  if (sample === undefined) return <LoadSample />;
  return (
    <div className={styles.bar}>
      <div className={styles.buttons}>
        {status === 'running' || status === 'starting' ? (
          <Button icon={<Pause aria-hidden />} onClick={() => demo.pause()}>
            Pause
          </Button>
        ) : (
          <>
            <Button
              look={isIdle && isFirst ? 'main' : 'plain'}
              icon={<Play aria-hidden />}
              onClick={() => (isIdle ? start(true) : demo.run())}
            >
              {status === 'done' ? 'Run again' : 'Run all'}
            </Button>
            <Button
              icon={status === 'failed' ? <RotateCcw aria-hidden /> : <StepForward aria-hidden />}
              onClick={() => (isIdle ? start(false) : demo.step())}
            >
              {status === 'failed' ? 'Try again' : 'Step'}
            </Button>
          </>
        )}
        {!isIdle && (
          <Button look="quiet" icon={<Square aria-hidden />} onClick={() => demo.stop()}>
            Stop
          </Button>
        )}
      </div>
      <p className={styles.words} role="status">
        {wordsFor(state)}
        {status === 'idle' && !isFirst && ' It begins a new conversation.'}
      </p>
      {status === 'done' && state.moves.length > 0 && <Moves moves={state.moves} />}
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}

function wordsFor({ status, next, page, pages, moves, activities }: DemoState): string {
  const place = pages > 0 ? `Page ${page} of ${pages}. ` : '';
  switch (status) {
    case 'idle':
      return 'The demo: a scripted agent looks through 132 activities, page by page, for those in the wrong category.';
    case 'starting':
      return 'Connecting…';
    case 'waiting':
      return `${place}Next: ${next ? `${next.name} (${shortInput(next.arguments ?? {})})` : 'nothing'}`;
    case 'running':
      return `${place}Running.`;
    case 'failed':
      return `${place}Stopped at ${next?.name ?? 'a call'}.`;
    case 'done':
      return `Done: ${plural(pages, 'page')} read and collapsed. ${sentenceOfMoves(moves, activities)}`;
  }
}

/** What the agent found, for who wants to look it up. */
function Moves({ moves }: { moves: readonly CategoryMove[] }) {
  return (
    <details className={styles.moves}>
      <summary>What moves where</summary>
      <Table
        caption="What moves where"
        columns={[
          { name: 'From', cell: ({ from }) => <span className={styles.category}>{from}</span> },
          { name: 'To', cell: ({ to }) => <span className={styles.category}>{to}</span> },
          { name: 'Activities', cell: ({ ids }) => ids.join(', ') },
        ]}
        rows={grouped(moves)}
        keyOf={({ from, to }) => JSON.stringify([from, to])}
      />
    </details>
  );
}

function LoadSample() {
  return (
    <div className={styles.bar}>
      <LoadSamples />
      <p className={styles.words}>
        The demo needs it: 132 activities, and the workflow that goes through them.
      </p>
    </div>
  );
}
