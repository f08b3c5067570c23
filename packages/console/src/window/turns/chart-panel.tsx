import type { WindowTurnView } from '@infold/protocol';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Choice } from '../../design/controls/choice.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading } from '../../design/layout/placeholders.tsx';
import { type Series, scaleOf, seriesOf } from './bars.ts';
import { Chart } from './chart.tsx';
import styles from './chart-panel.module.css';
import { TurnDetails } from './turn.tsx';

const TurnTable = lazy(() => import('./turn-table.tsx'));

interface ChartPanelProps {
  turns: readonly WindowTurnView[];
  limit: number | null;
  /** The turn that the address names; the last one otherwise. */
  chosen: number | undefined;
  onChoose: (turn: number | undefined, replace: boolean) => void;
}

const FORMS = [
  { value: 'chart', label: 'As chart' },
  { value: 'table', label: 'As table' },
] as const;

/** The prompt turn by turn, and one turn in figures. */
export function ChartPanel({ turns, limit, chosen, onChoose }: ChartPanelProps) {
  const [form, setForm] = useState<'chart' | 'table'>('chart');
  const series = useMemo(() => seriesOf(turns), [turns]);
  const scale = useMemo(() => scaleOf(turns, limit), [turns, limit]);
  const turn = turns.find((one) => one.turn === chosen) ?? turns.at(-1);
  if (!turn) return null;
  // The last one is not named, so that the page goes on with the conversation.
  const choose = (next: WindowTurnView, replace: boolean) =>
    onChoose(next === turns.at(-1) ? undefined : next.turn, replace);
  return (
    <div className={styles.panels}>
      <Panel
        title="Prompt, turn by turn"
        aside={<Choice label="How to show it" options={FORMS} value={form} onChange={setForm} />}
        isFlush={form === 'table'}
      >
        {form === 'chart' ? (
          <>
            <Chart {...{ turns, series, scale }} chosen={turn} onChoose={choose} />
            <Legend series={series} hasLimit={scale.limit !== undefined} />
          </>
        ) : (
          <Suspense fallback={<Loading what="the table" />}>
            <TurnTable turns={turns} />
          </Suspense>
        )}
      </Panel>
      <TurnDetails turn={turn} turns={turns} series={series} onChoose={choose} />
    </div>
  );
}

function Legend({ series, hasLimit }: { series: readonly Series[]; hasLimit: boolean }) {
  return (
    <ul className={styles.legend} aria-label="What the colours mean">
      {series.map(({ key, name, colour }) => (
        <li key={key}>
          <span className={styles.swatch} style={{ background: `var(${colour})` }} />
          <span className={styles.name}>{name}</span>
        </li>
      ))}
      <li>
        <span className={styles.cached} />
        <span className={styles.name}>Striped: read from the provider’s cache</span>
      </li>
      <li>
        <span className={styles.gone} />
        <span className={styles.name}>Left out; the line is the prompt without Infold</span>
      </li>
      <li>Tokens by Infold’s own count</li>
      {hasLimit && (
        <li>
          <span className={styles.limit} />
          <span className={styles.name}>The most that the model accepts</span>
        </li>
      )}
    </ul>
  );
}
