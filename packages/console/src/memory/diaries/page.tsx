import { Link } from '@tanstack/react-router';
import { NotebookPen } from 'lucide-react';
import { Select } from '../../design/controls/field.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { ProjectChoice } from '../filters.tsx';
import { type Diary, useDiaries, useTimeline } from '../queries.ts';
import { Picked } from '../search/picked.tsx';
import { DayPanels, ShowOlder } from '../timeline/day-panels.tsx';
import { daysOf } from '../timeline/days.ts';
import styles from './page.module.css';

export default function DiariesPage() {
  const { agent } = useAddress();
  return (
    <>
      <Filters />
      {agent === undefined ? <Diaries /> : <DiaryPages key={agent} agent={agent} />}
    </>
  );
}

function Filters() {
  const { agent = '', project } = useAddress();
  const change = useChangeAddress();
  const { data } = useDiaries({ project });
  const names = (data?.diaries ?? []).map(({ agent_id }) => agent_id);
  const known = agent === '' || names.includes(agent) ? names : [...names, agent];
  return (
    <div className={styles.filters}>
      <Select
        label="Agent"
        options={[{ value: '', label: 'Every diary' }, ...known.map((value) => ({ value, label: value }))]}
        value={agent}
        onChange={(next) => change({ agent: next || undefined, pick: undefined })}
      />
      <ProjectChoice />
    </div>
  );
}

/** Who keeps one. */
function Diaries() {
  const { project } = useAddress();
  const { data, error, refetch } = useDiaries({ project });
  if (error && !data)
    return <Problem what="The diaries could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="diaries">
        <Skeleton lines={4} height="2rem" />
      </Loading>
    );
  }
  if (data.diaries.length === 0) {
    return (
      <Panel>
        <Empty icon={<NotebookPen aria-hidden />} title="No agent keeps a diary for you">
          <p>
            What an agent remembers with its <code>agent_id</code> goes into its diary: you and that agent
            read it, and nobody else. Its packs hold it whatever the goal is about.
          </p>
        </Empty>
      </Panel>
    );
  }
  const columns: Column<Diary>[] = [
    {
      name: 'Agent',
      cell: ({ agent_id }) => (
        <Link
          to="/memory/$page"
          params={{ page: 'diaries' }}
          search={{ project, agent: agent_id }}
          className={styles.agent}
        >
          <bdi>{agent_id}</bdi>
        </Link>
      ),
    },
    { name: 'Items', isFigure: true, cell: ({ items }) => count(items) },
    { name: 'Last written', isFigure: true, cell: ({ last_at }) => <Time at={last_at} /> },
  ];
  return (
    <Panel isFlush>
      <Table
        caption="Diaries, the one that was written in last first"
        columns={columns}
        rows={data.diaries}
        keyOf={({ agent_id }) => agent_id}
      />
    </Panel>
  );
}

/** What one agent wrote, day by day. */
function DiaryPages({ agent }: { agent: string }) {
  const { project } = useAddress();
  const timeline = useTimeline({
    ...{ project, agent_id: agent, scope: 'diary' },
  });
  const { data, error, refetch } = timeline;
  if (error && !data)
    return <Problem what="The diary could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="the diary">
        <Skeleton lines={6} height="3.5rem" />
      </Loading>
    );
  }
  const days = daysOf(data.pages.flatMap((page) => page.items));
  return (
    <>
      <Picked />
      {days.length === 0 ? (
        <Panel>
          <Empty icon={<NotebookPen aria-hidden />} title="This diary is empty">
            <p>
              {project === undefined
                ? 'No agent of this name has written anything for you.'
                : 'Nothing is in it of this project.'}
            </p>
          </Empty>
        </Panel>
      ) : (
        <DayPanels days={days} />
      )}
      <ShowOlder timeline={timeline} />
    </>
  );
}
