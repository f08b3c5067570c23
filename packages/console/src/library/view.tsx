import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Compass, FolderPlus } from 'lucide-react';
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { Select } from '../design/controls/field.tsx';
import { Page } from '../design/layout/page.tsx';
import { Empty, Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { Unsaved } from './editor/unsaved-note.tsx';
import { FilesPage } from './files/page.tsx';
import { LibraryNav } from './nav.tsx';
import { LIBRARY_PAGES, type LibraryPageId } from './pages.ts';
import { specOf, useFirstProject } from './projects.ts';
import { type LibraryProject, renewLibrary, useLibraryNews, useProjects } from './queries.ts';
import { useLibrarySearch } from './use-search.ts';
import styles from './view.module.css';

const CONTENTS: Record<LibraryPageId, ComponentType<{ project: string }>> = {
  files: FilesPage,
  drafts: lazy(() => import('./drafts/page.tsx')),
  import: lazy(() => import('./import/page.tsx')),
  attestation: lazy(() => import('./attestation/page.tsx')),
};

export function LibraryView() {
  const client = useQueryClient();
  const { data: projects, error, refetch } = useProjects();
  useLibraryNews();
  // What happened while another view was shown was told to nobody here.
  useEffect(() => void renewLibrary(client), [client]);
  if (projects) return <OfProjects projects={projects} />;
  return (
    <Page title="Library" about={LIBRARY_PAGES[0].about}>
      {error ? (
        <Problem what="The projects could not be read" error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="projects">
          <Skeleton lines={8} height="2rem" />
        </Loading>
      )}
    </Page>
  );
}

function OfProjects({ projects }: { projects: readonly LibraryProject[] }) {
  const { page: id = LIBRARY_PAGES[0].id } = useParams({ strict: false });
  const { project: named } = useLibrarySearch();
  const project = useFirstProject(projects, named);
  const page = LIBRARY_PAGES.find((one) => one.id === id);
  if (!page) {
    return (
      <Page title="Library">
        <LibraryNav current={undefined} project={project} />
        <Empty icon={<Compass aria-hidden />} title="There is no such page in Library">
          <p>Choose one of the pages above.</p>
        </Empty>
      </Page>
    );
  }
  const Content = CONTENTS[page.id];
  return (
    <Page
      title="Library"
      about={page.about}
      actions={project !== undefined && <ProjectChooser projects={projects} chosen={project} />}
    >
      {project === undefined ? (
        <Loading what="libraries" />
      ) : (
        <>
          <LibraryNav current={page.id} project={project} />
          <Unsaved project={project} />
          <Suspense key={`${page.id} ${project}`} fallback={<Loading what={page.name} />}>
            <Content project={project} />
          </Suspense>
        </>
      )}
      {projects.length === 0 && page.id === 'files' && <NoProjects />}
    </Page>
  );
}

/** Every organisation has the default project, even before somebody has written to it. */
function NoProjects() {
  return (
    <p className={styles.hint}>
      <FolderPlus aria-hidden /> Projects appear here once an agent has worked in their folder, or after{' '}
      <code>npx infold project add NAME</code>.
    </p>
  );
}

function ProjectChooser({ projects, chosen }: { projects: readonly LibraryProject[]; chosen: string }) {
  const navigate = useNavigate();
  const options = projects.map((project) => ({ value: specOf(project, projects), label: project.name }));
  const isListed = options.some(({ value }) => value === chosen);
  return (
    <div className={styles.chooser}>
      <Select
        label="Project"
        value={chosen}
        options={isListed ? options : [{ value: chosen, label: chosen }, ...options]}
        // What was open belongs to the other project.
        onChange={(project) => void navigate({ to: '.', search: { project } })}
      />
    </div>
  );
}
