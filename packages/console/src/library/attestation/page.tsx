import { useNavigate } from '@tanstack/react-router';
import { ClipboardCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Select } from '../../design/controls/field.tsx';
import { Tabs } from '../../design/controls/tabs.tsx';
import { Figures } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type DayUsage, useDayUsage, useRuleUsage } from '../queries.ts';
import type { Evidence } from '../search.ts';
import { useLibrarySearch } from '../use-search.ts';
import { Days } from './days.tsx';
import { GroupTable } from './groups.tsx';
import styles from './page.module.css';
import { RuleTable } from './rules.tsx';
import { Claims, Turns } from './turns.tsx';

const PERIODS = [
  { value: '', label: 'All time' },
  { value: '1', label: 'Last day' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

const GROUPS = [
  { value: 'constraints', label: 'Constraints', by: 'constraint' },
  { value: 'projects', label: 'Projects', by: 'project' },
  { value: 'agents', label: 'Agents', by: 'agent' },
  { value: 'models', label: 'Models', by: 'model' },
] as const;

/** Which rules were loaded, which shaped the work as agents say, and what does not fit. */
export default function AttestationPage({ project }: { project: string }) {
  const { days } = useLibrarySearch();
  const rules = useRuleUsage(project, days);
  const byDay = useDayUsage(project, days);
  const error = rules.error ?? byDay.error;
  if (error && !(rules.data && byDay.data))
    return (
      <Problem what="The attestation could not be read" error={error} onRetry={() => void rules.refetch()} />
    );
  if (!rules.data || !byDay.data) {
    return (
      <Loading what="the attestation">
        <Skeleton lines={6} height="2.5rem" />
      </Loading>
    );
  }
  const total = (of: (day: DayUsage) => number) => byDay.data.reduce((sum, day) => sum + of(day), 0);
  const turns = total((day) => day.turns);
  const unused = rules.data.filter(({ state }) => state === 'loaded_never_referred').length;
  const claims = total((day) => day.claimed_without_loading);
  return (
    <>
      <Period days={days} />
      {turns === 0 ? (
        <NoTurns isAll={days === undefined} />
      ) : (
        <>
          <Figures
            label="Attestation"
            figures={[
              {
                name: 'Turns',
                value: count(turns),
                note: `${count(total((day) => day.rejected_turns))} rejected by the agent itself`,
              },
              { name: 'Loads', value: count(total((day) => day.loaded)) },
              { name: 'References', value: count(total((day) => day.referred)) },
              {
                name: 'Loaded, never referred to',
                value: count(unused),
                note: 'rules and workflows',
                ...(unused > 0 && { tone: 'warn' as const }),
              },
              {
                name: 'Claims without a load',
                value: count(claims),
                note: 'referred to and not loaded before',
                ...(claims > 0 && { tone: 'warn' as const }),
              },
            ]}
          />
          <Panel>
            <Parts
              parts={[
                {
                  value: 'rules',
                  label: 'Rules',
                  content: <RuleTable {...{ project }} rules={rules.data} />,
                },
                ...GROUPS.map(({ value, label, by }) => ({
                  ...{ value, label },
                  content: <GroupTable {...{ by, project, days }} />,
                })),
                { value: 'turns', label: 'Turns', content: <Turns {...{ project, days }} /> },
                {
                  value: 'claims',
                  label: 'Claims without a load',
                  content: <Claims {...{ project, days }} />,
                },
                { value: 'days', label: 'Days', content: <Days days={byDay.data.toReversed()} /> },
              ]}
            />
          </Panel>
        </>
      )}
    </>
  );
}

function Period({ days }: { days: number | undefined }) {
  const navigate = useNavigate();
  const value = days === undefined ? '' : String(days);
  const isListed = PERIODS.some((period) => period.value === value);
  return (
    <div className={styles.period}>
      <Select
        label="Period"
        value={value}
        options={isListed ? PERIODS : [...PERIODS, { value, label: `Last ${value} days` }]}
        onChange={(next) => {
          const search = (before: object) => ({ ...before, days: next === '' ? undefined : Number(next) });
          void navigate({ to: '.', search });
        }}
      />
    </div>
  );
}

interface Part {
  value: Evidence;
  label: string;
  content: ReactNode;
}

function Parts({ parts }: { parts: readonly Part[] }) {
  const { evidence = 'rules' } = useLibrarySearch();
  const navigate = useNavigate();
  return (
    <Tabs
      tabs={parts.map((part) => ({ ...part, content: part.value === evidence && part.content }))}
      value={evidence}
      onChange={(next) => {
        const search = (before: object) => ({ ...before, evidence: next as Evidence });
        void navigate({ to: '.', search });
      }}
    />
  );
}

function NoTurns({ isAll }: { isAll: boolean }) {
  return (
    <Empty
      icon={<ClipboardCheck aria-hidden />}
      title={isAll ? 'No agent has used this library yet' : 'No agent used this library in that time'}
    >
      <p>
        An agent calls <code>memory.setup</code>, loads rules, and says with <code>memory.refer</code> which
        of them shaped its work. Each step is evidence in the journal, and is counted here.
      </p>
      <p>How to connect one is said under System, Connections.</p>
    </Empty>
  );
}
