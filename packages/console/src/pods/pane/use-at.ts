import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';

/** Where one has stopped for a moment is told to the address. */
const SETTLED = 250;

/** The position of the past that is shown, and how to go elsewhere; undefined is now. */
export function useAt(
  name: 'at' | 'besideAt',
  addressed: number | undefined,
): [at: number | undefined, go: (at: number | undefined) => void] {
  const navigate = useNavigate();
  const [at, setAt] = useState(addressed);
  const told = useRef(addressed);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back, forward, or a link.
  useEffect(() => {
    if (addressed === told.current) return;
    told.current = addressed;
    setAt(addressed);
  }, [addressed]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const go = useCallback(
    (to: number | undefined) => {
      setAt(to);
      clearTimeout(timer.current);
      const isChange = (to === undefined) !== (told.current === undefined);
      const tell = () => {
        told.current = to;
        void navigate({ to: '.', search: (search) => ({ ...search, [name]: to }), replace: !isChange });
      };
      if (isChange) tell();
      else timer.current = setTimeout(tell, SETTLED);
    },
    [navigate, name],
  );
  return [at, go];
}
