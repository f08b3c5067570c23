import { ChevronRight, Lock, Wrench } from 'lucide-react';
import { useId, useState } from 'react';
import { Badge } from '../../design/data/badge.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Estimate } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Skeleton, Unseen } from '../../design/layout/placeholders.tsx';
import { useSettings } from '../../settings/settings.ts';
import { type Called, type Hint, hintsOf, shortInput } from '../entries.ts';
import { Answer } from '../result/answer.tsx';
import styles from './called.module.css';

/** A call and what it answered. TCP-18: in full at first, a gray accordion with the summary once it is collapsed. */
export function CalledEntry({ entry }: { entry: Called }) {
  return entry.tracked?.phase === 'collapsed' ? <Collapsed entry={entry} /> : <Whole entry={entry} />;
}

function Whole({ entry }: { entry: Called }) {
  const { tool, input, answer, problem, tracked } = entry;
  return (
    <article className={styles.called} aria-label={tool}>
      <header className={styles.header}>
        <Wrench aria-hidden />
        <div className={styles.line}>
          <code className={styles.tool}>{tool}</code>
          <Input input={input} />
          <Hints entry={entry} />
          {tracked && (
            <span className={styles.tokens}>
              <Estimate>{count(tracked.tokens)} tokens</Estimate>
            </span>
          )}
        </div>
      </header>
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
      {answer && <Answer answer={answer} label={`What ${tool} answered`} />}
      {!answer && problem === undefined && <Skeleton lines={3} />}
    </article>
  );
}

function Collapsed({ entry }: { entry: Called }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { tool, input, answer, tracked } = entry;
  return (
    <article className={styles.collapsed} aria-label={`${tool}, collapsed`} data-phase="collapsed">
      <h3 className={styles.heading}>
        <button
          type="button"
          className={styles.bar}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={styles.chevron} />
          <span className={styles.summary}>{tracked?.summary}</span>
          <Hints entry={entry} />
          <span className={styles.tokens}>
            ≈ {count(tracked?.tokens ?? 0)} → {count(tracked?.textTokens ?? 0)} tokens
          </span>
        </button>
      </h3>
      {isOpen && (
        <section id={id} className={styles.original} aria-label="Original, read-only">
          <p className={styles.note}>
            <Lock aria-hidden />
            <span>
              The original of <code>{tool}</code>, read-only. The model holds the summary in its place
              {tracked?.handle && (
                <>
                  {' '}
                  and can ask for this by <code>{tracked.handle}</code>
                </>
              )}
              .
            </span>
          </p>
          <Input input={input} />
          {answer && <Answer answer={answer} label={`What ${tool} answered`} />}
        </section>
      )}
    </article>
  );
}

/** In a few words; the whole when one asks. */
function Input({ input }: { input: Called['input'] }) {
  const [isOpen, setOpen] = useState(false);
  if (Object.keys(input).length === 0) return <span className={styles.input}>without input</span>;
  return (
    <>
      <button type="button" className={styles.input} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Unseen>Input: </Unseen>
        {shortInput(input)}
      </button>
      {isOpen && (
        <div className={styles.whole}>
          <CodeBlock text={JSON.stringify(input, null, 2)} label="Input" />
        </div>
      )}
    </>
  );
}

const TONES = { transient: 'warn', consumed: 'good', collapsed: 'mute' } as const satisfies Record<
  Hint,
  string
>;

function Hints({ entry }: { entry: Called }) {
  const { showContextHints } = useSettings();
  if (!showContextHints) return null;
  return (
    <span className={styles.hints}>
      {hintsOf(entry).map((hint) => (
        <Badge key={hint} tone={TONES[hint]}>
          [{hint}]
        </Badge>
      ))}
    </span>
  );
}
