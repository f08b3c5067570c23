import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { librarySearch } from '../library/search.ts';
import { memorySearch } from '../memory/search.ts';
import { podsSearch } from '../pods/search.ts';
import { recordsSearch, workflowSearch } from '../records/search.ts';
import { Broken, NotFound } from './not-found.tsx';
import { conversationSearch, systemSearch, treeSearch, windowSearch } from './search.ts';
import { Shell } from './shell.tsx';

/** Every address of the console. Views are loaded when somebody goes there. */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/window' });
  },
});

const WindowView = lazyRouteComponent(() => import('../window/view.tsx'), 'WindowView');
const windowList = createRoute({
  getParentRoute: () => root,
  path: '/window',
  validateSearch: windowSearch,
  component: WindowView,
});
const windowOf = createRoute({
  getParentRoute: () => root,
  path: '/window/$conversation',
  validateSearch: windowSearch,
  component: WindowView,
});

const TreeView = lazyRouteComponent(() => import('../tree/view.tsx'), 'TreeView');
const treeList = createRoute({
  getParentRoute: () => root,
  path: '/tree',
  validateSearch: treeSearch,
  component: TreeView,
});
const treeOf = createRoute({
  getParentRoute: () => root,
  path: '/tree/$session',
  validateSearch: treeSearch,
  component: TreeView,
});

const conversation = createRoute({
  getParentRoute: () => root,
  path: '/conversation',
  validateSearch: conversationSearch,
  component: lazyRouteComponent(() => import('../conversation/view.tsx'), 'ConversationView'),
});

const LibraryView = lazyRouteComponent(() => import('../library/view.tsx'), 'LibraryView');
const libraryHome = createRoute({
  getParentRoute: () => root,
  path: '/library',
  validateSearch: librarySearch,
  component: LibraryView,
});
const libraryPage = createRoute({
  getParentRoute: () => root,
  path: '/library/$page',
  validateSearch: librarySearch,
  component: LibraryView,
});

const MemoryView = lazyRouteComponent(() => import('../memory/view.tsx'), 'MemoryView');
const memoryHome = createRoute({
  getParentRoute: () => root,
  path: '/memory',
  validateSearch: memorySearch,
  component: MemoryView,
});
const memoryPage = createRoute({
  getParentRoute: () => root,
  path: '/memory/$page',
  validateSearch: memorySearch,
  component: MemoryView,
});

const PodsView = lazyRouteComponent(() => import('../pods/view.tsx'), 'PodsView');
const podsHome = createRoute({
  getParentRoute: () => root,
  path: '/pods',
  validateSearch: podsSearch,
  component: PodsView,
});
const podsPage = createRoute({
  getParentRoute: () => root,
  path: '/pods/$pod',
  validateSearch: podsSearch,
  component: PodsView,
});

const recordSources = createRoute({
  getParentRoute: () => root,
  path: '/records',
  component: lazyRouteComponent(() => import('../records/sources/page.tsx'), 'SourcesPage'),
});
const recordSource = createRoute({
  getParentRoute: () => root,
  path: '/records/source/$model',
  validateSearch: recordsSearch,
  component: lazyRouteComponent(() => import('../records/source/page.tsx'), 'SourcePage'),
});
const WorkflowsPage = lazyRouteComponent(() => import('../records/workflows/page.tsx'), 'WorkflowsPage');
const workflowList = createRoute({
  getParentRoute: () => root,
  path: '/records/workflows',
  validateSearch: workflowSearch,
  component: WorkflowsPage,
});
const workflowOf = createRoute({
  getParentRoute: () => root,
  path: '/records/workflows/$workflow',
  validateSearch: workflowSearch,
  component: WorkflowsPage,
});

const SystemView = lazyRouteComponent(() => import('../system/view.tsx'), 'SystemView');
const systemHome = createRoute({
  getParentRoute: () => root,
  path: '/system',
  validateSearch: systemSearch,
  component: SystemView,
});
const systemPage = createRoute({
  getParentRoute: () => root,
  path: '/system/$page',
  validateSearch: systemSearch,
  component: SystemView,
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/view.tsx'), 'SettingsView'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    windowList,
    windowOf,
    treeList,
    treeOf,
    conversation,
    libraryHome,
    libraryPage,
    memoryHome,
    memoryPage,
    podsHome,
    podsPage,
    recordSources,
    recordSource,
    workflowList,
    workflowOf,
    systemHome,
    systemPage,
    settings,
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
