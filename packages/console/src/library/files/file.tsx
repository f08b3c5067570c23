import { ApiError } from '@infold/client/api';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, FileX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Tabs } from '../../design/controls/tabs.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { type FileDetails, useFile, useRevisions } from '../queries.ts';
import type { FilePart } from '../search.ts';
import { useLibrarySearch } from '../use-search.ts';
import { FileActions, MetaActions } from './actions.tsx';
import styles from './file.module.css';
import { META_PROMPT } from './rows.ts';
import { FileText } from './text.tsx';

const History = lazy(() => import('./history.tsx'));
const Usage = lazy(() => import('./usage.tsx'));

/** A file: what it says, how it became so, and how it was used. */
export function FilePage({ project, id }: { project: string; id: string }) {
  const { data: file, error, refetch } = useFile(project, id);
  const isGone = error instanceof ApiError && error.status === 404;
  if (error && !isGone && !file)
    return <Problem what="The file could not be read" error={error} onRetry={() => void refetch()} />;
  if (!file && !isGone) {
    return (
      <Loading what="the file">
        <Skeleton lines={12} height="1.5rem" />
      </Loading>
    );
  }
  return (
    <>
      <p className={styles.back}>
        <Link to="/library/$page" params={{ page: 'files' }} search={{ project }}>
          <ArrowLeft aria-hidden /> All files
        </Link>
      </p>
      {file && !isGone ? <Published {...{ project, file }} /> : <NotPublished {...{ project, id }} />}
    </>
  );
}

function Published({ project, file }: { project: string; file: FileDetails }) {
  return (
    <Panel
      title={<Title path={file.path} />}
      aside={<FileActions project={project} file={file} />}
      className={styles.panel}
    >
      <p className={styles.under}>
        <Badge tone="note">{file.id === META_PROMPT ? 'meta prompt' : file.kind}</Badge>
        {file.organisation !== undefined && (
          <Badge>from the organisation’s library, revision {file.organisation}</Badge>
        )}
        {file.deprecated && (
          <Badge tone="warn">
            {file.successor === undefined ? 'deprecated' : `deprecated: see ${file.successor}`}
          </Badge>
        )}
        {file.description !== null && <bdi>{file.description}</bdi>}
      </p>
      <Parts
        parts={[
          { value: 'text', label: 'Text', content: <FileText project={project} file={file} /> },
          { value: 'history', label: 'History', content: <History project={project} id={file.id} /> },
          ...(file.id === META_PROMPT
            ? []
            : [{ value: 'usage', label: 'Use', content: <Usage project={project} file={file} /> } as const]),
        ]}
      />
    </Panel>
  );
}

function Title({ path }: { path: string }) {
  const cut = path.lastIndexOf('/') + 1;
  return (
    <bdi className={styles.title}>
      <span className={styles.folder}>{path.slice(0, cut)}</span>
      {path.slice(cut)}
    </bdi>
  );
}

function Parts({
  parts,
}: {
  parts: readonly { value: FilePart; label: string; content: React.ReactNode }[];
}) {
  const { show = 'text' } = useLibrarySearch();
  const navigate = useNavigate();
  const value = parts.some((part) => part.value === show) ? show : 'text';
  return (
    <Tabs
      tabs={parts.map((part) => ({
        ...part,
        content: part.value === value && (
          <Suspense fallback={<Loading what={part.label} />}>{part.content}</Suspense>
        ),
      }))}
      value={value}
      onChange={(next) => {
        const search = (before: object) => ({
          ...before,
          show: next === 'text' ? undefined : (next as FilePart),
          revision: undefined,
        });
        void navigate({ to: '.', search });
      }}
    />
  );
}

/** It was deleted, or was never there; the meta prompt has a beginning of its own. */
function NotPublished({ project, id }: { project: string; id: string }) {
  const { data: revisions, isPending } = useRevisions(project, id);
  const isMeta = id === META_PROMPT;
  if (isPending) return <Loading what="the history" />;
  if (revisions && revisions.length > 0) {
    return (
      <Panel title={<Title path={revisions.at(-1)!.path} />}>
        <p className={styles.under}>
          <Badge tone="warn">not published</Badge> It was deleted. A revision that is restored brings it back
          with its id.
        </p>
        <Suspense fallback={<Loading what="the history" />}>
          <History project={project} id={id} />
        </Suspense>
      </Panel>
    );
  }
  if (isMeta) {
    return (
      <Empty
        icon={<FileX aria-hidden />}
        title="Nobody has published a meta prompt for this project"
        actions={<MetaActions project={project} />}
      >
        <p>
          It is what an agent reads first, when it sets up: how to find rules, when to load them, and how to
          say which ones it followed. Until there is one, agents are given Infold’s own.
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon={<FileX aria-hidden />} title="There is no such file in this library">
      <p>
        Nothing was ever published at <bdi className={styles.name}>{id}</bdi>. It may belong to another
        project: choose one above.
      </p>
    </Empty>
  );
}
