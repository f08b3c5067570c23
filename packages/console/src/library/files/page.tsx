import { Link } from '@tanstack/react-router';
import { BookOpenCheck, FolderInput, Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useAccount } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { ButtonLink } from '../button-link.tsx';
import { type LibraryItem, useFiles } from '../queries.ts';
import { useLibrarySearch } from '../use-search.ts';
import { FilePage } from './file.tsx';
import styles from './page.module.css';
import { FileTree } from './tree.tsx';

const EditorPage = lazy(() => import('../editor/page.tsx'));

export function FilesPage({ project }: { project: string }) {
  const { item, make, edit } = useLibrarySearch();
  const { data, error, refetch } = useFiles(project);
  const isEditing = make !== undefined || (edit === true && item !== undefined);
  if (isEditing) {
    return (
      <Suspense fallback={<Loading what="the editor" />}>
        <EditorPage key={make ?? item} project={project} />
      </Suspense>
    );
  }
  if (error && !data)
    return <Problem what="The files could not be read" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Loading what="files">
        <Skeleton lines={10} height="1.75rem" />
      </Loading>
    );
  }
  if (data.length === 0 && item === undefined) return <NoFiles project={project} />;
  return (
    <div className={classes(styles.layout, item !== undefined && styles.hasChosen)}>
      <div className={styles.side}>
        <FileTree project={project} items={data} chosen={item} />
        <NewFile project={project} />
      </div>
      <div className={styles.main}>
        {item === undefined ? <Overview items={data} /> : <FilePage key={item} project={project} id={item} />}
      </div>
    </div>
  );
}

function NewFile({ project }: { project: string }) {
  const { may } = useAccount();
  if (!may('write')) return null;
  return (
    <div className={styles.new}>
      <ButtonLink icon={<Plus aria-hidden />} page="files" search={{ project, make: 'rule' }}>
        New file
      </ButtonLink>
      <ButtonLink icon={<FolderInput aria-hidden />} page="import" search={{ project }}>
        Import
      </ButtonLink>
    </div>
  );
}

/** What there is, while nothing is chosen. */
function Overview({ items }: { items: readonly LibraryItem[] }) {
  const of = (kind: LibraryItem['kind']) => items.filter((item) => item.kind === kind).length;
  const latest = items.toSorted((one, other) => (one.updated_at < other.updated_at ? 1 : -1)).slice(0, 8);
  const { project } = useLibrarySearch();
  return (
    <Panel title="Lately published">
      <p className={styles.about}>
        {plural(of('rule'), 'rule')}, {plural(of('workflow'), 'workflow')} and {plural(of('context'), 'file')}{' '}
        of context are published. Choose one to read it.
      </p>
      <ul className={styles.latest}>
        {latest.map(({ id, path, description, revision }) => (
          <li key={id}>
            <Link to="/library/$page" params={{ page: 'files' }} search={{ project, item: id }}>
              <bdi>{path}</bdi>
            </Link>
            <span className={styles.soft}>revision {revision}</span>
            {description !== null && <bdi className={styles.description}>{description}</bdi>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NoFiles({ project }: { project: string }) {
  const { may } = useAccount();
  return (
    <Empty
      icon={<BookOpenCheck aria-hidden />}
      title="This project has no rules yet"
      actions={
        may('write') && (
          <>
            <ButtonLink
              look="main"
              icon={<Plus aria-hidden />}
              page="files"
              search={{ project, make: 'rule' }}
            >
              Write a rule
            </ButtonLink>
            <ButtonLink icon={<FolderInput aria-hidden />} page="import" search={{ project }}>
              Import a folder
            </ButtonLink>
            <ButtonLink page="files" search={{ project, item: 'META_PROMPT.md' }}>
              Meta prompt
            </ButtonLink>
          </>
        )
      }
    >
      <p>
        Rules, workflows and context are Markdown files that agents find and load while they work. Each
        heading and list item of a rule is a constraint that they can refer to.
      </p>
      <p>
        Agents can propose files, too: with the tool <code>draft</code>, to be reviewed under Drafts.
      </p>
    </Empty>
  );
}
