import type { WindowPrompt } from '@infold/protocol';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Estimate } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { useBlock } from '../queries.ts';
import { wordsFor } from '../rules.ts';
import styles from './block.module.css';
import { fateOf, type PromptBlock, titleOf } from './blocks.ts';

interface BlockSheetProps {
  id: string;
  index: number;
  prompt: WindowPrompt | undefined;
  onClose: () => void;
  onOriginal: (handle: string) => void;
}

/** The whole text of a block of the last prompt, to be read. */
export default function BlockSheet({ id, index, prompt, onClose, onOriginal }: BlockSheetProps) {
  const block = prompt?.blocks[index];
  return (
    <Dialog isOpen onClose={onClose} title={block ? titleOf(block) : `Block ${index}`} isSheet>
      {!prompt ? (
        <Loading what="the prompt" />
      ) : block ? (
        <BlockText id={id} turn={prompt.turn} block={block} onOriginal={onOriginal} />
      ) : (
        <p>
          {prompt.is_kept
            ? 'The last prompt no longer has this block: the conversation went on.'
            : 'The blocks of the last prompt are no longer kept. They are back with the next request.'}
        </p>
      )}
    </Dialog>
  );
}

function BlockText({
  id,
  turn,
  block,
  onOriginal,
}: {
  id: string;
  turn: number;
  block: PromptBlock;
  onOriginal: (handle: string) => void;
}) {
  const { data, error, refetch } = useBlock(id, turn, block.index);
  const fate = fateOf(block);
  const { handle } = block;
  return (
    <div className={styles.sheet}>
      {block.rule !== null && (
        <p>
          <strong>{wordsFor(block.rule).name}.</strong> {wordsFor(block.rule).why}
        </p>
      )}
      <Facts>
        <Fact name="Turn">{turn}</Fact>
        <Fact name="Tokens">
          <Tokens block={block} />
        </Fact>
        {block.tokens.sent > 0 && <Fact name="Cache">{cacheWords(block)}</Fact>}
        {block.call !== null && (
          <Fact name="Call">
            <code>{block.call}</code>
          </Fact>
        )}
        {handle !== null && (
          <Fact name="Handle">
            <code>{handle}</code>
          </Fact>
        )}
      </Facts>
      {error && !data ? (
        <Problem what="Its text could not be read" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <>
          {fate === 'replaced' && data.instead !== null && (
            <section className={styles.part}>
              <h3>Placeholder</h3>
              <CodeBlock text={data.instead} label="Placeholder" />
            </section>
          )}
          <section className={styles.part}>
            <h3>{fate === 'whole' ? 'Text' : 'Original, as the host has it'}</h3>
            <CodeBlock text={data.text} label={fate === 'whole' ? 'Text' : 'Original'} />
            {data.is_cut && <p className={styles.note}>Only its beginning is shown.</p>}
          </section>
        </>
      ) : (
        <Loading what="the text" />
      )}
      {handle !== null && (
        <div>
          <Button size="small" onClick={() => onOriginal(handle)}>
            The original in the archive
          </Button>
        </div>
      )}
    </div>
  );
}

function Tokens({ block: { tokens, rule } }: { block: PromptBlock }) {
  if (rule === null) return <Estimate>{count(tokens.sent)}</Estimate>;
  return (
    <>
      <Estimate>{count(tokens.asked)}</Estimate> → {count(tokens.sent)}
    </>
  );
}

function cacheWords({ is_cached }: PromptBlock): string {
  if (is_cached === null) return 'unknown: the answer reported no usage';
  return is_cached ? 'read from the provider’s cache' : 'not read from the cache';
}
