import type { Session } from '../../api/session.ts';
import type { PaletteEntry } from './entry.ts';

/** What was opened by the palette, the last first. It is gone with the page, and nobody else's who signs in. */
const visited = new WeakMap<Session, PaletteEntry[]>();
const MOST = 5;

export function visitedBy(session: Session): readonly PaletteEntry[] {
  return visited.get(session) ?? [];
}

export function noteVisit(session: Session, entry: PaletteEntry): void {
  if (entry.href === undefined) return;
  const others = visitedBy(session).filter(({ href }) => href !== entry.href);
  const { isFound: _, ...kept } = entry;
  visited.set(session, [kept, ...others].slice(0, MOST));
}
