import type { WindowDecisionView } from '@infold/protocol';
import { useMemo, useState } from 'react';
import { Choice } from '../../design/controls/choice.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { type RowFocus, Rows } from '../../design/list/long-list.tsx';
import { oneLine } from '../prompt/blocks.ts';
import { CAME_BACK, toolName, wordsFor } from '../rules.ts';
import { byRule } from './decided.ts';
import styles from './decisions.module.css';

const ROW_HEIGHT = 62;
const ALL = '';

interface DecisionsPanelProps {
  decisions: readonly WindowDecisionView[] | undefined;
  error: unknown;
  onRetry: () => void;
  onOpen: (handle: string) => void;
}

/** What left, by rule, the newest first; the original is one click away. */
export function DecisionsPanel({ decisions, error, onRetry, onOpen }: DecisionsPanelProps) {
  const [rule, setRule] = useState(ALL);
  const rules = useMemo(() => byRule(decisions ?? []), [decisions]);
  const shown = useMemo(
    () => (decisions ?? []).filter((one) => rule === ALL || one.rule === rule).reverse(),
    [decisions, rule],
  );
  if (error && !decisions)
    return <Problem what="What left could not be read" error={error} onRetry={onRetry} />;
  if (!decisions) {
    return (
      <Panel title="What left">
        <Loading what="what left" />
      </Panel>
    );
  }
  if (decisions.length === 0) {
    return (
      <Panel title="What left">
        <p className={styles.none}>
          Nothing yet. Results leave when their branch is folded, when they were used, repeat an earlier one
          or are longer than they need to be, and when that pays.
        </p>
      </Panel>
    );
  }
  const options = [
    { value: ALL, label: `All ${count(decisions.length)}` },
    ...rules.map((one) => ({ value: one.rule, label: `${wordsFor(one.rule).name} ${count(one.count)}` })),
  ];
  return (
    <Panel
      title="What left"
      isFlush
      aside={<Choice label="By which rule" options={options} value={rule} onChange={setRule} />}
    >
      {rule !== ALL && <p className={styles.why}>{wordsFor(rule).why}</p>}
      <div className={styles.rows}>
        <Rows
          count={shown.length}
          height={ROW_HEIGHT}
          most="28rem"
          label="What left"
          keyOf={(place) => keyOf(shown[place]!)}
        >
          {(place, focus) => <DecisionRow decision={shown[place]!} focus={focus} onOpen={onOpen} />}
        </Rows>
      </div>
    </Panel>
  );
}

const keyOf = ({ conversation, handle, turn }: WindowDecisionView) => `${conversation} ${handle} ${turn}`;

function DecisionRow({
  decision: { rule, tool, tokens, turn, at, text, handle, is_held },
  focus,
  onOpen,
}: {
  decision: WindowDecisionView;
  focus: RowFocus;
  onOpen: (handle: string) => void;
}) {
  return (
    <button type="button" className={styles.button} onClick={() => onOpen(handle)} {...focus}>
      <span className={styles.line}>
        <Badge tone={text === null ? 'good' : 'note'}>
          {text === null ? `${wordsFor(rule).name.toLowerCase()}, back` : wordsFor(rule).name.toLowerCase()}
        </Badge>
        <span className={styles.tool}>{toolName(tool)}</span>
        {!is_held && text !== null && <Badge tone="warn">original not kept</Badge>}
        <span className={styles.tokens}>
          {count(tokens.before)} → {count(tokens.after)}
        </span>
      </span>
      <span className={styles.line}>
        <span className={styles.text}>{text === null ? CAME_BACK : oneLine(text) || wordsFor(rule).why}</span>
        <span className={styles.when}>
          turn {turn}, <Time at={at} />
        </span>
      </span>
    </button>
  );
}
