import { AppWindow, GitFork, type LucideIcon, MessagesSquare, ServerCog, Settings } from 'lucide-react';

/** Where one can go, and the key that leads there after “g”. */
export const PLACES = [
  { to: '/window', name: 'Window', about: 'What a model holds in mind', icon: AppWindow, key: 'w' },
  { to: '/tree', name: 'Tree', about: 'Sessions, branches and calls', icon: GitFork, key: 't' },
  {
    to: '/conversation',
    name: 'Conversation',
    about: 'Call tools and watch results collapse',
    icon: MessagesSquare,
    key: 'c',
  },
  {
    to: '/system',
    name: 'System',
    about: 'Connections, tools, journal and tokens',
    icon: ServerCog,
    key: 's',
  },
  { to: '/settings', name: 'Settings', about: 'Display and model', icon: Settings, key: ',' },
] as const satisfies readonly { to: string; name: string; about: string; icon: LucideIcon; key: string }[];
