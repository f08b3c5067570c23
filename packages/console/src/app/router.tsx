import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Broken, NotFound } from './not-found.tsx';
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

const numberOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && value !== undefined && value !== '' ? Number(value) : undefined;
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export interface WindowSearch {
  /** The turn that is looked at; the last one otherwise. */
  turn?: number | undefined;
  /** The block of the last prompt that is read. */
  block?: number | undefined;
  /** The original of something that left. */
  handle?: string | undefined;
}
const windowSearch = ({ turn, block, handle }: Record<string, unknown>): WindowSearch => ({
  turn: numberOf(turn),
  block: numberOf(block),
  handle: textOf(handle),
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

export interface TreeSearch {
  /** The position in the journal that is shown; live otherwise. */
  at?: number | undefined;
  /** A branch, or an operation by its handle. */
  node?: string | undefined;
}
const treeSearch = ({ at, node }: Record<string, unknown>): TreeSearch => ({
  at: (numberOf(at) ?? 0) > 0 ? numberOf(at) : undefined,
  node: textOf(node),
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

export interface ConversationSearch {
  /** The tool whose form is open. */
  tool?: string | undefined;
  /** The project that calls belong to. */
  project?: string | undefined;
}
const conversation = createRoute({
  getParentRoute: () => root,
  path: '/conversation',
  validateSearch: ({ tool, project }: Record<string, unknown>): ConversationSearch => ({
    tool: textOf(tool),
    project: textOf(project),
  }),
  component: lazyRouteComponent(() => import('../conversation/view.tsx'), 'ConversationView'),
});

export interface SystemSearch {
  /** Words that what is listed must have. */
  find?: string | undefined;
  /** The column that it is sorted by, with “-” before it from the largest down. */
  sort?: string | undefined;
  /** The host whose settings are shown. */
  host?: string | undefined;
  /** The form of a new token is open. */
  make?: true | undefined;
}
const systemSearch = ({ find, sort, host, make }: Record<string, unknown>): SystemSearch => ({
  find: textOf(find),
  sort: textOf(sort),
  host: textOf(host),
  make: make === true ? true : undefined,
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
