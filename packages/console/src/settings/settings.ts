import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

/** What this browser remembers of how somebody wants to see things. Nothing secret is in it. */
export interface Settings {
  theme: Theme;
  /** TCP-18: badges that say which results are transient, consumed or collapsed. */
  showContextHints: boolean;
}

const DEFAULTS: Settings = { theme: 'system', showContextHints: false };
const KEY = 'infold.settings';
const listeners = new Set<() => void>();
let settings = read();

function read(): Settings {
  try {
    const { theme, showContextHints } = { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
    return {
      theme: ['light', 'dark'].includes(theme) ? theme : 'system',
      showContextHints: showContextHints === true,
    };
  } catch {
    return DEFAULTS;
  }
}

export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Where nothing can be stored, it holds until the page is closed.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

export function useSettings(): Settings {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => settings,
  );
}

export function applyTheme(): void {
  const { theme } = settings;
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** What is shown now, the system's wish included. */
export function useIsDark(): boolean {
  const { theme } = useSettings();
  const isSystemDark = useSyncExternalStore(
    (listener) => {
      dark.addEventListener('change', listener);
      return () => dark.removeEventListener('change', listener);
    },
    () => dark.matches,
  );
  return theme === 'system' ? isSystemDark : theme === 'dark';
}
