import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { PLACES } from './places.ts';

const Keys = lazy(() => import('./shortcut-list.tsx'));

/** How long a “g” waits for what follows. */
const PATIENCE = 1500;

/** Keys that work everywhere, except where somebody writes. */
export function Shortcuts({ onPalette }: { onPalette: () => void }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const going = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return;
      const isGoing = Date.now() - going.current < PATIENCE;
      going.current = 0;
      const place = isGoing ? PLACES.find(({ key }) => key === event.key) : undefined;
      if (place) void navigate({ to: place.to });
      else if (event.key === 'g') going.current = Date.now();
      else if (event.key === '?') setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, onPalette]);
  return isOpen ? (
    <Suspense>
      <Keys onClose={() => setOpen(false)} />
    </Suspense>
  ) : null;
}

/** Editors stand in a shadow root: to the page, a key that is pressed in one is pressed on what holds it. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
