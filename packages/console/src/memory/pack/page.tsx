import { PackageSearch } from 'lucide-react';
import { Tabs } from '../../design/controls/tabs.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { type Figure, Figures } from '../../design/data/figures.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { type Explanation, type Pack, usePack } from '../queries.ts';
import { ExplainedItems } from './explained.tsx';
import { PackForm } from './form.tsx';
import styles from './page.module.css';

export default function PackPage() {
  const address = useAddress();
  const { data, error, refetch, isFetching, isPlaceholderData } = usePack(address);
  return (
    <div className={styles.page}>
      <PackForm key={formKey(address)} isBusy={isFetching} />
      {address.goal === undefined ? (
        <Panel>
          <Empty icon={<PackageSearch aria-hidden />} title="No pack yet">
            <p>
              A pack is what an agent gets from memory for a goal. Write one, and see which items it holds,
              what spoke for each, and what was left out. Compiling it here changes nothing.
            </p>
          </Empty>
        </Panel>
      ) : error && (!data || isPlaceholderData) ? (
        <Problem what="The pack could not be compiled" error={error} onRetry={refetch} />
      ) : data?.explanation ? (
        <PackResult pack={data} explanation={data.explanation} isOld={isPlaceholderData} />
      ) : (
        <Loading what="the pack">
          <Skeleton lines={6} height="4rem" />
        </Loading>
      )}
    </div>
  );
}

/** The form begins anew where what it holds itself was changed without it. Choices it reads from the address. */
const formKey = ({ goal, limit, budget }: ReturnType<typeof useAddress>) =>
  JSON.stringify([goal, limit, budget]);

interface PackResultProps {
  pack: Pack;
  explanation: Explanation;
  /** Another goal was asked for since. */
  isOld: boolean;
}

function PackResult({ pack, explanation, isOld }: PackResultProps) {
  const { tab = 'in' } = useAddress();
  const change = useChangeAddress();
  const { items, left_out: leftOut, considered } = explanation;
  const figures: Figure[] = [
    { name: 'In the pack', value: count(items.length), note: `of ${plural(considered, 'item')} weighed` },
    { name: 'Left out', value: count(leftOut.length), note: 'the best of the rest' },
    { name: 'Searched for', value: <bdi className={styles.query}>{pack.query || 'nothing'}</bdi> },
  ];
  const tabs = [
    {
      value: 'in',
      label: `In the pack (${items.length})`,
      content:
        items.length === 0 ? (
          <Empty title="Nothing that is remembered fits this goal">
            <p>A pack is rather short than padded. Say the goal in other words, or search deeper.</p>
          </Empty>
        ) : (
          <ExplainedItems items={items} label="In the pack" />
        ),
    },
    {
      value: 'out',
      label: `Left out (${leftOut.length})`,
      content:
        leftOut.length === 0 ? (
          <Empty title="Nothing was left out">
            <p>Everything that was weighed and fits is in the pack.</p>
          </Empty>
        ) : (
          <ExplainedItems items={leftOut} label="Left out" />
        ),
    },
    {
      value: 'text',
      label: 'What the model reads',
      content: <CodeBlock label="What the model reads" text={pack.markdown} />,
    },
  ];
  return (
    <Panel title="The pack" className={isOld ? styles.old : undefined}>
      <div className={styles.figures}>
        <Figures figures={figures} label="The pack in figures" />
      </div>
      {pack.notices?.map((notice) => (
        <p key={notice} className={styles.notice}>
          {notice}
        </p>
      ))}
      <Tabs
        tabs={tabs}
        value={tabs.some(({ value }) => value === tab) ? tab : 'in'}
        onChange={(next) => change({ tab: next === 'in' ? undefined : next }, true)}
      />
    </Panel>
  );
}
