import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Badge, type Tone } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { plural } from '../../design/data/format.ts';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import { type LibraryTurn, useTurns } from '../queries.ts';
import styles from './turns.module.css';

interface TurnsProps {
  project: string;
  days: number | undefined;
}

const OUTCOMES: Record<LibraryTurn['outcome'], { text: string; tone: Tone }> = {
  open: { text: 'going on', tone: 'note' },
  submitted: { text: 'submitted', tone: 'good' },
  rejected: { text: 'rejected', tone: 'bad' },
};

/** A page of turns after another, with something to show of them. */
function TurnPages({
  project,
  days,
  children,
}: TurnsProps & { children: (turns: LibraryTurn[]) => ReactNode }) {
  const { may } = useAccount();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useTurns(project, days);
  if (error && !data)
    return <Problem what="The turns could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="turns">
        <Skeleton lines={6} height="2.5rem" />
      </Loading>
    );
  }
  const turns = data.pages.flatMap((page) => page.turns);
  return (
    <div className={styles.pages}>
      {!may('review') && <p className={styles.soft}>These are your own; reviewers see everyone’s.</p>}
      {children(turns)}
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Look at older turns ({plural(turns.length, 'turn')} so far)
          </Button>
        </div>
      )}
    </div>
  );
}

export function Turns(props: TurnsProps) {
  return (
    <TurnPages {...props}>
      {(turns) => (
        <ol className={styles.turns} aria-label="Turns, newest first">
          {turns.map((turn) => (
            <TurnEntry key={`${turn.session_id} ${turn.turn}`} project={props.project} turn={turn} />
          ))}
        </ol>
      )}
    </TurnPages>
  );
}

function TurnEntry({ project, turn }: { project: string; turn: LibraryTurn }) {
  const { text, tone } = OUTCOMES[turn.outcome];
  const said = turn.summary ?? turn.reason;
  return (
    <li className={styles.turn}>
      <div className={styles.head}>
        <bdi className={styles.agent}>{turn.agent}</bdi>
        <span className={styles.soft}>turn {turn.turn}</span>
        <Badge tone={tone}>{text}</Badge>
        <span className={styles.time}>
          <Time at={turn.started_at} />
        </span>
      </div>
      {said && <bdi className={styles.said}>{said}</bdi>}
      <dl className={styles.facts}>
        {turn.discovered.length > 0 && (
          <div>
            <dt>Searched</dt>
            <dd>
              {turn.discovered.map(({ query, kind, group, result_count }, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what was done stays where it is
                <span key={place} className={styles.part}>
                  <bdi>{query ?? group ?? kind ?? 'everything'}</bdi>{' '}
                  <span className={styles.soft}>({result_count})</span>
                </span>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>Loaded</dt>
          <dd>
            {turn.loaded.length + turn.loaded_by_host.length === 0 && 'nothing'}
            {turn.loaded.map(({ id, path, draft }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <span key={place} className={styles.part}>
                <FileLink {...{ project, id, path }} /> {draft && <Badge tone="note">draft</Badge>}
              </span>
            ))}
            {turn.loaded_by_host.map(({ id, path }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <span key={`host ${place}`} className={styles.part}>
                <FileLink {...{ project, id, path }} /> <Badge>by its host</Badge>
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>Referred to</dt>
          <dd>
            {turn.claimed.length === 0 && 'nothing'}
            {turn.claimed.map((claim, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <span key={place} className={styles.part}>
                <FileLink {...{ project, id: claim.rule_id, path: claim.path }} />{' '}
                <bdi className={styles.constraint}>{claim.constraint_id}</bdi>
                {!claim.loaded && <Badge tone="warn">not loaded</Badge>}
                {claim.stale && <Badge tone="warn">out of date</Badge>}
                {claim.reason !== null && <bdi className={styles.soft}>{claim.reason}</bdi>}
              </span>
            ))}
          </dd>
        </div>
        {turn.drafted.length > 0 && (
          <div>
            <dt>Drafted</dt>
            <dd>
              {turn.drafted.map(({ draft_id, action, path }, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <span key={place} className={styles.part}>
                  <Link to="/library/$page" params={{ page: 'drafts' }} search={{ project, draft: draft_id }}>
                    <bdi>{path}</bdi>
                  </Link>{' '}
                  <span className={styles.soft}>{action}</span>
                </span>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </li>
  );
}

function FileLink({ project, id, path }: { project: string; id: string; path: string }) {
  return (
    <Link to="/library/$page" params={{ page: 'files' }} search={{ project, item: id }}>
      <bdi>{path}</bdi>
    </Link>
  );
}

interface Claim {
  key: string;
  turn: LibraryTurn;
  claimed: LibraryTurn['claimed'][number];
}

/** What agents say they followed without having loaded it in that session. */
export function Claims(props: TurnsProps) {
  const { project } = props;
  const columns: Column<Claim>[] = [
    {
      name: 'Claim',
      cell: ({ claimed: { rule_id, path, constraint_id } }) => (
        <>
          <FileLink {...{ project, id: rule_id, path }} />{' '}
          <bdi className={styles.constraint}>{constraint_id}</bdi>
        </>
      ),
    },
    { name: 'Reason', cell: ({ claimed: { reason } }) => (reason === null ? '–' : <bdi>{reason}</bdi>) },
    { name: 'Agent', isExtra: true, cell: ({ turn }) => <bdi>{turn.agent}</bdi> },
    { name: 'When', isFigure: true, cell: ({ turn }) => <Time at={turn.started_at} /> },
  ];
  return (
    <TurnPages {...props}>
      {(turns) => {
        const rows = turns.flatMap((turn) =>
          turn.claimed
            .filter(({ loaded }) => !loaded)
            .map((claimed, place) => ({ key: `${turn.session_id} ${turn.turn} ${place}`, turn, claimed })),
        );
        return rows.length === 0 ? (
          <p className={styles.soft}>
            In the last {plural(turns.length, 'turn')} agents had loaded everything that they referred to.
          </p>
        ) : (
          <Table caption="Claims without a load" columns={columns} rows={rows} keyOf={({ key }) => key} />
        );
      }}
    </TurnPages>
  );
}
