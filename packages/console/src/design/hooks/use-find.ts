import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Typing is not slowed down by the address, which follows a moment later. */
const PAUSE = 250;

/** What is sought; it is in the address, as `find`. */
export function useFind(): [string, (sought: string) => void] {
  const { find = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [sought, setSought] = useState(find);
  useEffect(() => {
    if (sought === find) return;
    const timer = setTimeout(() => {
      const search = (before: object) => ({ ...before, find: sought === '' ? undefined : sought });
      void navigate({ to: '.', search, replace: true });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [sought, find, navigate]);
  return [sought, setSought];
}
