import { useNavigate } from '@tanstack/react-router';
import { GitPullRequestArrow } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Select } from '../../design/controls/field.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { ButtonLink } from '../button-link.tsx';
import { useDrafts } from '../queries.ts';
import type { DraftFilter } from '../search.ts';
import { useLibrarySearch } from '../use-search.ts';
import { DraftPage } from './draft.tsx';
import { DraftTable } from './list.tsx';
import styles from './page.module.css';

const EditorPage = lazy(() => import('../editor/page.tsx'));

export default function DraftsPage({ project }: { project: string }) {
  const { draft, edit, state = 'open' } = useLibrarySearch();
  if (draft !== undefined && edit === true) {
    return (
      <Suspense fallback={<Loading what="the editor" />}>
        <EditorPage key={draft} project={project} />
      </Suspense>
    );
  }
  if (draft !== undefined) return <DraftPage key={draft} project={project} id={draft} />;
  return <DraftList project={project} filter={state} />;
}

const FILTERS: { value: DraftFilter; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'draft', label: 'Not submitted' },
  { value: 'in_review', label: 'In review' },
  { value: 'approved', label: 'Approved' },
  { value: 'declined', label: 'Declined' },
  { value: 'published', label: 'Published' },
  { value: 'discarded', label: 'Discarded' },
  { value: 'all', label: 'All' },
];

function DraftList({ project, filter }: { project: string; filter: DraftFilter }) {
  const navigate = useNavigate();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDrafts(project, filter);
  const drafts = data?.pages.flatMap((page) => page.drafts);
  return (
    <>
      <div className={styles.filter}>
        <Select
          label="State"
          value={filter}
          options={FILTERS}
          onChange={(state) =>
            void navigate({
              to: '/library/$page',
              params: { page: 'drafts' },
              search: { project, state: state === 'open' ? undefined : (state as DraftFilter) },
            })
          }
        />
      </div>
      {error && !drafts ? (
        <Problem what="The drafts could not be read" error={error} onRetry={() => void refetch()} />
      ) : !drafts ? (
        <Loading what="drafts">
          <Skeleton lines={6} height="2rem" />
        </Loading>
      ) : drafts.length === 0 ? (
        <NoDrafts project={project} filter={filter} />
      ) : (
        <Panel isFlush>
          <DraftTable project={project} drafts={drafts} />
          {hasNextPage && (
            <div className={styles.more}>
              <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Older drafts
              </Button>
            </div>
          )}
        </Panel>
      )}
    </>
  );
}

function NoDrafts({ project, filter }: { project: string; filter: DraftFilter }) {
  const { may } = useAccount();
  const isOpen = filter === 'open';
  return (
    <Empty
      icon={<GitPullRequestArrow aria-hidden />}
      title={isOpen ? 'Nothing waits for anybody' : 'There is no such draft'}
      actions={
        may('write') && (
          <ButtonLink page="files" search={{ project, make: 'rule' }}>
            Write a file
          </ButtonLink>
        )
      }
    >
      <p>
        A draft is a change that somebody proposes: you, another person, or an agent with the tool{' '}
        <code>draft</code>. It is submitted, read and approved by a reviewer, and then published. Until then
        agents go on with what is published.
      </p>
      <p>Drafts of others are shown to reviewers once they are submitted.</p>
    </Empty>
  );
}
