import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History as HistoryIcon, RotateCcw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type FileRevision, renewLibrary, useFile, useRevisions } from '../queries.ts';
import { useLibrarySearch } from '../use-search.ts';
import styles from './history.module.css';

const DiffView = lazy(() => import('../code/diff.tsx'));

/** Every revision of a file, the last one first, and what each changed. */
export default function FileHistory({ project, id }: { project: string; id: string }) {
  const { revision } = useLibrarySearch();
  const { data: revisions, error, refetch } = useRevisions(project, id);
  const [restoring, setRestoring] = useState<FileRevision>();
  if (error && !revisions)
    return <Problem what="The history could not be read" error={error} onRetry={() => void refetch()} />;
  if (!revisions) {
    return (
      <Loading what="the history">
        <Skeleton lines={5} height="2rem" />
      </Loading>
    );
  }
  const place = revisions.findIndex((one) => one.revision === revision);
  const shown = place === -1 ? revisions.length - 1 : place;
  return (
    <div className={styles.layout}>
      <ol className={styles.list} aria-label="Revisions">
        {revisions.toReversed().map((one, index) => (
          <Entry
            key={one.revision}
            {...{ project, id, one }}
            isShown={revisions[shown] === one}
            onRestore={index === 0 && one.op !== 'delete' ? undefined : () => setRestoring(one)}
          />
        ))}
      </ol>
      <Comparison project={project} id={id} revision={revisions[shown]!} former={revisions[shown - 1]} />
      {restoring && (
        <RestoreDialog {...{ project, id }} revision={restoring} onClose={() => setRestoring(undefined)} />
      )}
    </div>
  );
}

const OPERATIONS = {
  create: { text: 'created', tone: 'good' },
  update: { text: 'changed', tone: 'note' },
  rename: { text: 'renamed', tone: 'note' },
  delete: { text: 'deleted', tone: 'bad' },
} as const;

interface EntryProps {
  project: string;
  id: string;
  one: FileRevision;
  isShown: boolean;
  onRestore: (() => void) | undefined;
}

function Entry({ project, id, one, isShown, onRestore }: EntryProps) {
  const { may } = useAccount();
  const { text, tone } = OPERATIONS[one.op];
  return (
    <li className={classes(styles.entry, isShown && styles.shown)}>
      <div className={styles.line}>
        <Link
          to="/library/$page"
          params={{ page: 'files' }}
          search={{ project, item: id, show: 'history', revision: one.revision }}
          aria-current={isShown ? 'true' : undefined}
        >
          Revision {one.revision}
        </Link>
        <Badge tone={tone}>{text}</Badge>
        <span className={styles.time}>
          <Time at={one.at} />
        </span>
      </div>
      <dl className={styles.who}>
        <div>
          <dt>Written by</dt>
          <dd>
            <bdi>{one.author}</bdi>
          </dd>
        </div>
        <div>
          <dt>Approved by</dt>
          <dd>{one.reviewer === null ? 'nobody' : <bdi>{one.reviewer}</bdi>}</dd>
        </div>
        <div>
          <dt>Published by</dt>
          <dd>
            <bdi>{one.publisher}</bdi>
            {one.source !== 'draft' && ` (${one.source})`}
          </dd>
        </div>
      </dl>
      {one.previous_path !== null && (
        <p className={styles.note}>
          was <bdi>{one.previous_path}</bdi>
        </p>
      )}
      {one.note !== null && (
        <p className={styles.note}>
          <bdi>{one.note}</bdi>
        </p>
      )}
      {onRestore && one.op !== 'delete' && may('review') && (
        <Button size="small" look="quiet" icon={<RotateCcw aria-hidden />} onClick={onRestore}>
          Restore
        </Button>
      )}
    </li>
  );
}

interface ComparisonProps {
  project: string;
  id: string;
  revision: FileRevision;
  former: FileRevision | undefined;
}

/** What a revision made of the one before it. */
function Comparison({ project, id, revision, former }: ComparisonProps) {
  const wanted = (one: FileRevision | undefined) =>
    one === undefined || one.op === 'delete' ? undefined : id;
  const after = useFile(project, wanted(revision), revision.revision);
  const before = useFile(project, wanted(former), former?.revision);
  const error = after.error ?? before.error;
  if (error) return <Problem what="The revision could not be read" error={error} />;
  const texts = {
    after: wanted(revision) === undefined ? '' : after.data?.content,
    before: wanted(former) === undefined ? '' : before.data?.content,
  };
  const names = {
    before: former ? `Revision ${former.revision}` : 'Nothing',
    after: `Revision ${revision.revision}`,
  };
  return (
    <section className={styles.comparison} aria-label={`What revision ${revision.revision} changed`}>
      <h3>
        <HistoryIcon aria-hidden /> {names.before} and {names.after.toLowerCase()}
      </h3>
      {texts.after === undefined || texts.before === undefined ? (
        <Loading what="the revision" />
      ) : texts.after === texts.before ? (
        <p className={styles.note}>The content is the same.</p>
      ) : (
        <Suspense fallback={<Loading what="the comparison" />}>
          <DiffView before={texts.before} after={texts.after} labels={names} />
        </Suspense>
      )}
    </section>
  );
}

interface RestoreProps {
  project: string;
  id: string;
  revision: FileRevision;
  onClose: () => void;
}

function RestoreDialog({ project, id, revision: { revision }, onClose }: RestoreProps) {
  const api = useApi();
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () => api.restoreRevision({ id, project, revision }),
    onSuccess: async () => {
      await renewLibrary(client);
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Restore revision ${revision}`}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" isBusy={restore.isPending} onClick={() => restore.mutate()}>
            Publish it again
          </Button>
        </>
      }
    >
      <p>
        What the file said at revision {revision} is published again, as a new revision, at once and without a
        review. Agents load it from then on. Everything in between stays in the history.
      </p>
      {restore.error && <Problem what="It was not restored" error={restore.error} />}
    </Dialog>
  );
}
