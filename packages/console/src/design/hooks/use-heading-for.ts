import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * Whether an address is still where the reader is, or on the way to. A view stays on the page until the next one is loaded:
 * what it finds out meanwhile must not call its reader back.
 */
export function useHeadingFor(): (path: string) => boolean {
  const router = useRouter();
  return useCallback((path) => router.latestLocation.pathname === path, [router]);
}
