import type { WindowPrompt } from '@infold/protocol';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Choice } from '../../design/controls/choice.tsx';
import { Estimate, Time } from '../../design/data/figures.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { Rows } from '../../design/list/long-list.tsx';
import { BlockRow, ROW_HEIGHT } from './block-row.tsx';
import { type PromptBlock, sumsOf } from './blocks.ts';
import styles from './prompt.module.css';

const NotKept = lazy(() => import('./not-kept.tsx'));

interface PromptPanelProps {
  prompt: WindowPrompt | undefined;
  error: unknown;
  onRetry: () => void;
  onOpen: (block: number) => void;
}

type Side = 'sent' | 'asked';
const SIDES = [
  { value: 'sent', label: 'As sent' },
  { value: 'asked', label: 'Without Infold' },
] as const;

/** The last prompt, block by block: as it was sent, and as it would have been. */
export function PromptPanel({ prompt, error, onRetry, onOpen }: PromptPanelProps) {
  const [side, setSide] = useState<Side>('sent');
  if (error && !prompt)
    return <Problem what="The prompt could not be read" error={error} onRetry={onRetry} />;
  if (!prompt) {
    return (
      <Panel title="The prompt now">
        <Loading what="the prompt">
          <Skeleton lines={6} height="2.5rem" />
        </Loading>
      </Panel>
    );
  }
  if (!prompt.is_kept) {
    return (
      <Suspense>
        <NotKept turn={prompt.turn} />
      </Suspense>
    );
  }
  return (
    <Panel
      title="The prompt now"
      isFlush
      aside={
        <span className={styles.aside}>
          <span>
            turn {prompt.turn}
            {prompt.at && (
              <>
                , <Time at={prompt.at} />
              </>
            )}
          </span>
          <span className={styles.sides}>
            <Choice label="Which prompt" options={SIDES} value={side} onChange={setSide} />
          </span>
        </span>
      }
    >
      <Blocks blocks={prompt.blocks} side={side} onOpen={onOpen} />
    </Panel>
  );
}

interface BlocksProps {
  blocks: readonly PromptBlock[];
  side: Side;
  onOpen: (block: number) => void;
}

function Blocks({ blocks, side, onOpen }: BlocksProps) {
  const sums = useMemo(() => sumsOf(blocks), [blocks]);
  return (
    <div data-side={side}>
      <div className={styles.heads}>
        <p className={styles.sent}>
          As sent <Estimate>{count(sums.sent)}</Estimate> tokens
        </p>
        <p className={styles.asked}>
          Without Infold <Estimate>{count(sums.asked)}</Estimate> tokens
        </p>
      </div>
      <Rows
        count={blocks.length}
        height={ROW_HEIGHT}
        most="34rem"
        label={`${plural(blocks.length, 'block')}, ${count(sums.gone)} of them not sent whole`}
        keyOf={(place) => place}
      >
        {(place, focus) => (
          <BlockRow block={blocks[place]!} largest={sums.largest} focus={focus} onOpen={onOpen} />
        )}
      </Rows>
    </div>
  );
}
