import { CalendarDays } from 'lucide-react';
import { Select, TextField } from '../../design/controls/field.tsx';
import { Words } from '../../design/controls/words.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { ProjectChoice } from '../filters.tsx';
import { inWords, KINDS } from '../kinds.ts';
import { useTimeline } from '../queries.ts';
import { Picked } from '../search/picked.tsx';
import { DayPanels, ShowOlder } from './day-panels.tsx';
import { daysOf, endOf } from './days.ts';
import styles from './page.module.css';

export default function TimelinePage() {
  const { project, kind, author, until } = useAddress();
  const timeline = useTimeline({
    ...{ project, kind, author },
    until: endOf(until),
  });
  const { data, error, refetch } = timeline;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const days = daysOf(items);
  const isNarrowed = [project, kind, author, until].some((each) => each !== undefined);
  return (
    <>
      <Filters />
      <Picked />
      {error && !data ? (
        <Problem what="The timeline could not be read" error={error} onRetry={refetch} />
      ) : !data ? (
        <Loading what="the timeline">
          <Skeleton lines={6} height="3.5rem" />
        </Loading>
      ) : days.length === 0 ? (
        <Panel>
          <Empty icon={<CalendarDays aria-hidden />} title="Nothing was remembered here">
            <p>
              {isNarrowed
                ? 'Choose another kind, author, project or day.'
                : 'What agents and people remember appears here, the newest first.'}
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

function Filters() {
  const { kind = '', author, until = '' } = useAddress();
  const change = useChangeAddress();
  const kinds = kind === '' || (KINDS as readonly string[]).includes(kind) ? KINDS : [...KINDS, kind];
  return (
    <div className={styles.filters}>
      <Select
        label="Kind"
        options={[
          { value: '', label: 'Every kind' },
          ...kinds.map((value) => ({ value, label: inWords(value) })),
        ]}
        value={kind}
        onChange={(next) => change({ kind: next || undefined })}
      />
      <Words
        label="Author"
        placeholder="Anybody"
        autoComplete="off"
        value={author}
        onChange={(next) => change({ author: next }, true)}
      />
      <ProjectChoice />
      <TextField
        label="Up to"
        type="date"
        value={until}
        onChange={(event) => change({ until: event.target.value || undefined })}
      />
    </div>
  );
}
