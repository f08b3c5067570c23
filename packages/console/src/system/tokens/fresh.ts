import { useSyncExternalStore } from 'react';

/** A token that was just made. It is shown once, and forgotten when that is closed. */
export interface FreshToken {
  name: string;
  secret: string;
  /** The first one: whoever made it is signed in with it by now. */
  isFirst: boolean;
}

// Beside the components: making the first token changes who is signed in, and with that everything on the page is made anew.
let fresh: FreshToken | undefined;
const listeners = new Set<() => void>();

export function setFresh(token: FreshToken | undefined): void {
  fresh = token;
  for (const listener of listeners) listener();
}

export function useFresh(): FreshToken | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => fresh,
  );
}
