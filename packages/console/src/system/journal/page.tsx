import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { useEntries } from '../../api/live.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Figures, Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type Verification, verificationQuery } from '../queries.ts';
import styles from './page.module.css';
import { Progress } from './progress.tsx';
import { Result } from './result.tsx';

export default function JournalPage() {
  const { session } = useAccount();
  const client = useQueryClient();
  const query = verificationQuery(session);
  const { data, error, refetch } = useQuery(query);
  const start = useMutation({
    mutationFn: () => session.api.startVerification(),
    onSuccess: (begun) => client.setQueryData(query.queryKey, begun),
  });
  if (error && !data) return <Problem what="The journal could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="the journal">
        <Skeleton lines={3} height="4rem" />
      </Loading>
    );
  }
  const isRunning = data.state === 'running';
  return (
    <>
      <Head verification={data} />
      <Panel
        title="Verification"
        aside={
          <Button
            look={data.state === 'none' ? 'main' : 'plain'}
            isBusy={isRunning || start.isPending}
            onClick={() => start.mutate()}
          >
            {data.state === 'none' ? 'Verify the journal' : 'Verify again'}
          </Button>
        }
      >
        <div className={styles.verification}>
          {start.error && <Problem what="The verification could not be started" error={start.error} />}
          {isRunning ? <Progress verification={data} /> : <Result verification={data} />}
        </div>
      </Panel>
      <p className={styles.about}>
        The journal is a chain of hashes: nobody can change, remove or insert an entry without breaking it. A
        checkpoint is signed every 1,000 entries, which lets you prove a single entry to somebody else:{' '}
        <code>npx infold verify --entry ID --proof FILE</code>
      </p>
    </>
  );
}

/** How far the journal goes, as it grows, and what the last verification found. */
function Head({
  verification: { state, ended_at, report, head, checkpoint },
}: {
  verification: Verification;
}) {
  const [heard, setHeard] = useState(0);
  useEntries((entries) => setHeard((before) => Math.max(before, entries.at(-1)?.seq ?? 0)));
  return (
    <Figures
      label="The journal"
      figures={[
        {
          name: 'Entries',
          value: count(Math.max(head, heard)),
          note: 'in the whole journal',
        },
        {
          name: 'Last checkpoint',
          value: checkpoint === null ? 'none yet' : count(checkpoint),
          note: 'one is signed every 1,000 entries',
        },
        {
          name: 'Last verified',
          value: ended_at === null ? 'not yet' : <Time at={ended_at} />,
          note: report ? `up to position ${count(report.head.seq)}` : 'since the server started',
        },
        {
          name: 'Result',
          value: state === 'failed' ? 'none' : report ? (report.ok ? 'intact' : 'damaged') : '–',
          note: 'of the last verification',
          ...(report && { tone: report.ok ? ('good' as const) : ('bad' as const) }),
        },
      ]}
    />
  );
}
