import type { Scope } from '@infold/protocol';
import {
  Cable,
  Gauge,
  KeyRound,
  Link2,
  type LucideIcon,
  Scale,
  ShieldX,
  SlidersHorizontal,
  Wrench,
} from 'lucide-react';

export interface SystemPage {
  id: string;
  name: string;
  /** What it answers. */
  about: string;
  icon: LucideIcon;
  /** What somebody must be allowed for any of it. */
  needs: Scope;
}

/** The pages of the view, in the order in which one asks. Apart from their components, so that the palette can name them. */
export const PAGES = [
  {
    id: 'connections',
    name: 'Connections',
    about: 'Who is connected, when they were last active, and how to connect a host',
    icon: Cable,
    needs: 'read',
  },
  {
    id: 'tools',
    name: 'Tools',
    about: 'What each tool costs in tokens and time',
    icon: Wrench,
    needs: 'read',
  },
  {
    id: 'figures',
    name: 'Figures',
    about: 'How the server is doing right now',
    icon: Gauge,
    needs: 'admin',
  },
  {
    id: 'journal',
    name: 'Journal',
    about: 'Whether everything is still as it was written',
    icon: Link2,
    needs: 'admin',
  },
  {
    id: 'tokens',
    name: 'Tokens',
    about: 'Who can do what; make and revoke tokens',
    icon: KeyRound,
    needs: 'admin',
  },
  {
    id: 'denials',
    name: 'Denials',
    about: 'Who was refused what, and how often',
    icon: ShieldX,
    needs: 'admin',
  },
  {
    id: 'limits',
    name: 'Limits',
    about: 'How much the server accepts, and where each limit was set',
    icon: Scale,
    needs: 'read',
  },
  {
    id: 'configuration',
    name: 'Configuration',
    about: 'Every value in effect, and where it came from',
    icon: SlidersHorizontal,
    needs: 'admin',
  },
] as const satisfies readonly SystemPage[];

export type PageId = (typeof PAGES)[number]['id'];
