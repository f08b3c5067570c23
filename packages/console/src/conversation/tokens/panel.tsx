import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Estimate } from '../../design/data/figures.tsx';
import { count, share } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Skeleton } from '../../design/layout/placeholders.tsx';
import { Table } from '../../design/table/table.tsx';
import type { Turn } from '../conversation.ts';
import styles from './panel.module.css';

const Chart = lazy(() => import('./chart.tsx'));

/** What each prompt holds, with collapsing and without: the reason for all of this. */
export function TokensPanel({ turns }: { turns: readonly Turn[] }) {
  const [isTable, setTable] = useState(false);
  const last = turns.at(-1);
  return (
    <Panel
      title="Prompt tokens per turn"
      aside={
        turns.length > 0 && (
          <Button look="quiet" size="small" onClick={() => setTable(!isTable)}>
            {isTable ? 'As a chart' : 'As a table'}
          </Button>
        )
      }
    >
      {last && (
        <dl className={styles.last}>
          <div className={styles.sent}>
            <dt>With collapsing</dt>
            <dd>
              <Estimate>{count(last.sent)}</Estimate>
            </dd>
          </div>
          <div className={styles.whole}>
            <dt>Without</dt>
            <dd>
              <Estimate>{count(last.whole)}</Estimate>
            </dd>
          </div>
          <div>
            <dt>Saved now</dt>
            <dd>{last.whole > 0 ? share(1 - last.sent / last.whole) : '–'}</dd>
          </div>
        </dl>
      )}
      {!last ? (
        <p className={styles.none}>Begins with the first call.</p>
      ) : (
        <div className={styles.picture}>
          {isTable ? (
            <Figures turns={turns} />
          ) : (
            <Suspense fallback={<Skeleton height="11rem" />}>
              <Chart turns={turns} />
            </Suspense>
          )}
        </div>
      )}
      {last && (
        <p className={styles.note}>
          Estimates of the client, for messages alone: no system prompt, no tool definitions.
        </p>
      )}
    </Panel>
  );
}

function Figures({ turns }: { turns: readonly Turn[] }) {
  return (
    <Table
      caption="Estimated prompt tokens per turn"
      columns={[
        { name: 'Turn', cell: ({ turn }) => turn, isFigure: true },
        { name: 'With collapsing', cell: ({ sent }) => count(sent), isFigure: true },
        { name: 'Without', cell: ({ whole }) => count(whole), isFigure: true },
      ]}
      rows={turns.map((turn, index) => ({ ...turn, turn: index + 1 }))}
      keyOf={({ turn }) => String(turn)}
    />
  );
}
