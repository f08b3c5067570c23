import type { ReactNode } from 'react';

/** A path breaks after its folders, before it breaks within a name. */
export function breakable(path: string): ReactNode[] {
  const parts = path.split('/');
  return parts.flatMap((part, place) =>
    place === parts.length - 1
      ? [part]
      : // biome-ignore lint/suspicious/noArrayIndexKey: they stay where they are
        [`${part}/`, <wbr key={place} />],
  );
}
