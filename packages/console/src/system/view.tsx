import { useParams } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { type ComponentType, lazy, Suspense } from 'react';
import { useAccount } from '../api/account.tsx';
import { Page } from '../design/layout/page.tsx';
import { PageNav } from '../design/layout/page-nav.tsx';
import { Empty, Loading } from '../design/layout/placeholders.tsx';
import { ConnectionsPage } from './connections/page.tsx';
import { NeedsScope } from './needs-scope.tsx';
import { PAGES, type PageId } from './pages.ts';

const CONTENTS: Record<PageId, ComponentType> = {
  connections: ConnectionsPage,
  tools: lazy(() => import('./tools/page.tsx')),
  figures: lazy(() => import('./figures/page.tsx')),
  journal: lazy(() => import('./journal/page.tsx')),
  tokens: lazy(() => import('./tokens/page.tsx')),
  denials: lazy(() => import('./denials.tsx')),
  limits: lazy(() => import('./limits.tsx')),
  configuration: lazy(() => import('./configuration.tsx')),
};

export function SystemView() {
  const { may } = useAccount();
  const { page: id = PAGES[0].id } = useParams({ strict: false });
  const page = PAGES.find((one) => one.id === id);
  if (!page) {
    return (
      <Page title="System">
        <PageNav view="/system" label="System" pages={PAGES} current={undefined} />
        <Empty icon={<Compass aria-hidden />} title="There is no such page in System">
          <p>Choose one of the pages above.</p>
        </Empty>
      </Page>
    );
  }
  const Content = CONTENTS[page.id];
  return (
    <Page title="System" about={page.about}>
      <PageNav view="/system" label="System" pages={PAGES} current={page.id} />
      {may(page.needs) ? (
        <Suspense key={page.id} fallback={<Loading what={page.name} />}>
          <Content />
        </Suspense>
      ) : (
        <NeedsScope page={page} />
      )}
    </Page>
  );
}
