import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from '../design/classes.ts';
import buttons from '../design/controls/button.module.css';
import type { LibraryPageId } from './pages.ts';
import type { LibrarySearch } from './search.ts';

interface ButtonLinkProps {
  page: LibraryPageId;
  search: LibrarySearch;
  look?: 'plain' | 'main' | 'quiet';
  size?: 'small' | 'usual';
  icon?: ReactNode;
  children: ReactNode;
}

/** A place of this view that looks like a button: what begins something. */
export function ButtonLink({
  page,
  search,
  look = 'plain',
  size = 'usual',
  icon,
  children,
}: ButtonLinkProps) {
  return (
    <Link
      to="/library/$page"
      params={{ page }}
      search={search}
      className={classes(buttons.button, buttons[look], size === 'small' && buttons.small)}
    >
      {icon}
      {children}
    </Link>
  );
}
