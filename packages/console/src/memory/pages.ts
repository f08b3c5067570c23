import { CalendarDays, type LucideIcon, NotebookPen, PackageSearch, Search, Wrench } from 'lucide-react';

/** The pages of the view, in the order in which one asks. An item has a page too, without a link of its own. */
export const PAGES = [
  { id: 'search', name: 'Search', about: 'Find what was remembered, as you type', icon: Search },
  { id: 'pack', name: 'Packs', about: 'What an agent would get for a goal, and why', icon: PackageSearch },
  { id: 'timeline', name: 'Timeline', about: 'What was remembered, day by day', icon: CalendarDays },
  {
    id: 'diaries',
    name: 'Diaries',
    about: 'What agents keep for themselves, and for you',
    icon: NotebookPen,
  },
  { id: 'upkeep', name: 'Upkeep', about: 'What is contradicted, doubled or stale', icon: Wrench },
] as const satisfies readonly { id: string; name: string; about: string; icon: LucideIcon }[];
