import { useParams } from '@tanstack/react-router';
import { Compass, Plus } from 'lucide-react';
import { type ComponentType, lazy, Suspense } from 'react';
import { useAccount } from '../api/account.tsx';
import { Button } from '../design/controls/button.tsx';
import { Page } from '../design/layout/page.tsx';
import { PageNav } from '../design/layout/page-nav.tsx';
import { Empty, Loading } from '../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress } from './address.ts';
import { PAGES } from './pages.ts';
import { useFollowMemory } from './queries.ts';
import { SearchPage } from './search/page.tsx';
import { WriteDialogs } from './write/dialogs.tsx';
import { Done } from './write/done.tsx';

const CONTENTS: Record<string, ComponentType> = {
  search: SearchPage,
  pack: lazy(() => import('./pack/page.tsx')),
  timeline: lazy(() => import('./timeline/page.tsx')),
  diaries: lazy(() => import('./diaries/page.tsx')),
  upkeep: lazy(() => import('./upkeep/page.tsx')),
  item: lazy(() => import('./item/page.tsx')),
};

export function MemoryView() {
  useFollowMemory();
  const { may } = useAccount();
  const { project } = useAddress();
  const change = useChangeAddress();
  const { page: id = 'search' } = useParams({ strict: false });
  const page = PAGES.find((one) => one.id === id);
  const Content = Object.hasOwn(CONTENTS, id) ? CONTENTS[id] : undefined;
  return (
    <Page
      title="Memory"
      about={
        page?.about ??
        (id === 'item' ? 'What one item says, where it is from, and what became of it' : undefined)
      }
      actions={
        may('write') && (
          <Button
            look="main"
            icon={<Plus aria-hidden />}
            onClick={() => change({ write: 'remember', pick: undefined })}
          >
            Remember
          </Button>
        )
      }
    >
      <PageNav view="/memory" label="Memory" pages={PAGES} current={page?.id} search={{ project }} />
      <Done />
      {Content ? (
        <Suspense key={id} fallback={<Loading what={page?.name ?? 'the item'} />}>
          <Content />
        </Suspense>
      ) : (
        <Empty icon={<Compass aria-hidden />} title="There is no such page in Memory">
          <p>Choose one of the pages above.</p>
        </Empty>
      )}
      {may('write') && <WriteDialogs />}
    </Page>
  );
}
