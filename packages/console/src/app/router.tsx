import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
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
