import {
  AppWindow,
  BookOpenCheck,
  Brain,
  GitFork,
  type LucideIcon,
  MessagesSquare,
  Radio,
  ServerCog,
  Settings,
  Table2,
} from 'lucide-react';

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
    to: '/library',
    name: 'Library',
    about: 'Rules, drafts, reviews and attestation',
    icon: BookOpenCheck,
    key: 'l',
  },
  { to: '/memory', name: 'Memory', about: 'What is remembered, and packs of it', icon: Brain, key: 'm' },
  { to: '/pods', name: 'Pods', about: 'What participants say, and in which context', icon: Radio, key: 'p' },
  { to: '/records', name: 'Records', about: 'Sources of records and workflows', icon: Table2, key: 'r' },
  {
    to: '/system',
    name: 'System',
    about: 'Connections, tools, journal and tokens',
    icon: ServerCog,
    key: 's',
  },
  { to: '/settings', name: 'Settings', about: 'Display and model', icon: Settings, key: ',' },
] as const satisfies readonly { to: string; name: string; about: string; icon: LucideIcon; key: string }[];
