import { ClipboardCheck, FileText, FolderInput, GitPullRequestArrow, type LucideIcon } from 'lucide-react';

export interface LibraryPage {
  id: string;
  name: string;
  about: string;
  icon: LucideIcon;
}

/** The pages of the view. */
export const LIBRARY_PAGES = [
  {
    id: 'files',
    name: 'Files',
    about: 'Rules, workflows and context that agents load, and how often they refer to them',
    icon: FileText,
  },
  {
    id: 'drafts',
    name: 'Drafts',
    about: 'Changes that somebody proposes, their reviews, and what became of them',
    icon: GitPullRequestArrow,
  },
  { id: 'import', name: 'Import', about: 'Bring in a folder of Markdown', icon: FolderInput },
  {
    id: 'attestation',
    name: 'Attestation',
    about: 'Which rules agents loaded, and which they say shaped their work',
    icon: ClipboardCheck,
  },
] as const satisfies readonly LibraryPage[];

export type LibraryPageId = (typeof LIBRARY_PAGES)[number]['id'];
