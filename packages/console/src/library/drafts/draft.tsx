import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Choice } from '../../design/controls/choice.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Time } from '../../design/data/figures.tsx';
import { plural } from '../../design/data/format.ts';
import { useObservable } from '../../design/hooks/observable.ts';
import { useTitle } from '../../design/hooks/use-title.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import type { DiffSide } from '../code/diff.tsx';
import { dropUnsaved, unsavedFor, unsavedTexts, whoIs } from '../editor/unsaved.ts';
import { type LibraryDraft, useDraft } from '../queries.ts';
import { CommentDialog, Comments } from './comments.tsx';
import styles from './draft.module.css';
import { commentedLines, lineOf, sidesOf } from './sides.ts';
import { Steps } from './steps.tsx';
import { CONFLICTS, OPERATIONS, STATUSES } from './words.ts';

const DiffView = lazy(() => import('../code/diff.tsx'));
const ConflictPanel = lazy(() => import('./conflict.tsx'));

/** A draft, what it would change, what people say of it, and what can be done next. */
export function DraftPage({ project, id }: { project: string; id: string }) {
  const { data, error, refetch } = useDraft(id);
  if (error && !data)
    return <Problem what="The draft could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="the draft">
        <Skeleton lines={10} height="1.75rem" />
      </Loading>
    );
  }
  return (
    <div className={styles.page}>
      <p className={styles.back}>
        <Link to="/library/$page" params={{ page: 'drafts' }} search={{ project }}>
          <ArrowLeft aria-hidden /> All drafts
        </Link>
      </p>
      <Head project={project} draft={data} />
      {data.conflict && (
        <Suspense fallback={<Loading what="the conflict" />}>
          <ConflictPanel {...{ project, draft: data, conflict: data.conflict }} />
        </Suspense>
      )}
      {!data.conflict && <LeftOver project={project} draft={data} />}
      <Changes draft={data} />
    </div>
  );
}

/** A merge that somebody made by hand and did not save, of a draft that is in no conflict any more. */
function LeftOver({ project, draft }: { project: string; draft: LibraryDraft }) {
  const { status } = useAccount();
  const key = { who: whoIs(status), project, target: `merge:${draft.id}` };
  const kept = unsavedFor(useObservable(unsavedTexts), key);
  if (!kept) return null;
  return (
    <Panel
      title="Your merged text is not saved"
      aside={
        <Button size="small" look="quiet" onClick={() => dropUnsaved(key)}>
          Throw it away
        </Button>
      }
    >
      <p className={styles.soft}>
        The conflict was resolved, or the draft was closed, while you changed the result by hand. Take over
        what you need.
      </p>
      <CodeBlock label="Your merged text" text={kept.text} />
    </Panel>
  );
}

function Head({ project, draft }: { project: string; draft: LibraryDraft }) {
  useTitle(`Draft of ${draft.draft_path}`);
  const { text, tone } = STATUSES[draft.status];
  return (
    <Panel
      title={<bdi className={styles.title}>{draft.draft_path}</bdi>}
      aside={<Steps project={project} draft={draft} />}
    >
      <div className={styles.facts}>
        <Facts>
          <Fact name="State">
            <span className={styles.badges}>
              <Badge tone={tone}>{text}</Badge>
              {draft.conflict && <Badge tone="warn">{CONFLICTS[draft.conflict.reason].short}</Badge>}
            </span>
          </Fact>
          <Fact name="Would">
            {OPERATIONS[draft.op]}
            {draft.new_path !== null && (
              <>
                , now <bdi>{draft.path}</bdi>
              </>
            )}
          </Fact>
          {draft.protected?.map(({ pattern, reviewers, approvals, approved_by }) => (
            <Fact key={pattern} name="Protected">
              <bdi>{pattern}</bdi>: {approved_by.length} of {plural(approvals, 'approval')}
              {reviewers.length > 0 && (
                <>
                  {' '}
                  by <bdi>{reviewers.join(', ')}</bdi>
                </>
              )}
            </Fact>
          ))}
          {draft.description !== null && (
            <Fact name="Why">
              <bdi>{draft.description}</bdi>
            </Fact>
          )}
        </Facts>
        <Facts>
          <Fact name="Written by">
            <bdi>{draft.drafted_by}</bdi>
            {draft.session_id !== null && ', in a session of an agent'}
          </Fact>
          <Fact name="Changed">
            <Time at={draft.updated_at} />
          </Fact>
          {draft.decided_by !== null && (
            <Fact name={draft.status === 'declined' ? 'Declined by' : 'Approved by'}>
              <bdi>{draft.decided_by}</bdi>
              {draft.note !== null && (
                <>
                  : <bdi>{draft.note}</bdi>
                </>
              )}
            </Fact>
          )}
        </Facts>
      </div>
    </Panel>
  );
}

interface Place {
  side: DiffSide;
  line: number;
}

/** The two versions beside each other, and what was said about their lines. */
function Changes({ draft }: { draft: LibraryDraft }) {
  const { may } = useAccount();
  const [show, setShow] = useState<'changes' | 'all'>('changes');
  const [revealed, setRevealed] = useState<(Place & { turn: number }) | undefined>();
  const [about, setAbout] = useState<Place | 'draft'>();
  const { before, after } = useMemo(() => sidesOf(draft.diff), [draft.diff]);
  const commented = useMemo(() => commentedLines(draft.comments), [draft.comments]);
  const mayComment = may('write');
  const onLine = (side: DiffSide, line: number) => {
    if (mayComment) setAbout({ side, line });
  };
  const reveal = (place: Place) => {
    setShow('all');
    setRevealed((last) => ({ ...place, turn: (last?.turn ?? 0) + 1 }));
  };
  const isSame = before === after;
  const close = () => setAbout(undefined);
  return (
    <>
      <Panel
        title="What it would change"
        aside={
          !isSame && (
            <Choice
              label="Lines"
              value={show}
              onChange={setShow}
              options={[
                { value: 'changes', label: 'Changes' },
                { value: 'all', label: 'All lines' },
              ]}
            />
          )
        }
      >
        {isSame ? (
          <p className={styles.soft}>
            {draft.op === 'rename' ? 'The content stays as it is.' : 'The content is as it is published.'}
          </p>
        ) : (
          <div className={styles.diff}>
            <div className={styles.names} aria-hidden>
              <span>{before === '' ? 'Nothing there' : 'Published'}</span>
              <span>{after === '' ? 'Deleted' : 'Draft'}</span>
            </div>
            <Suspense
              fallback={
                <Loading what="the comparison">
                  <Skeleton lines={8} height="1.25rem" />
                </Loading>
              }
            >
              <DiffView
                before={before}
                after={after}
                labels={LABELS}
                isCollapsed={show === 'changes'}
                comments={{ ...commented, onLine }}
                revealed={revealed}
              />
            </Suspense>
            {mayComment && (
              <p className={styles.soft}>
                To comment on a line, press in the column left of its number, or Enter while the cursor is in
                it.
              </p>
            )}
          </div>
        )}
      </Panel>
      <Comments draft={draft} onReveal={reveal} onComment={() => setAbout('draft')} />
      {about !== undefined && (
        <CommentDialog
          draft={draft}
          place={about === 'draft' ? undefined : about}
          quoted={about === 'draft' ? undefined : lineOf(about.side === 'draft' ? after : before, about.line)}
          onClose={close}
        />
      )}
    </>
  );
}

const LABELS = { before: 'Published', after: 'Draft' };
