/** How full a window is, by the thresholds that `context_health` has. */
export type Health = 'none' | 'medium' | 'high';

export function healthOf(usage: number): Health {
  return usage > 0.7 ? 'high' : usage > 0.5 ? 'medium' : 'none';
}

export const HEALTH = {
  none: { tone: 'good' },
  medium: { tone: 'warn' },
  high: { tone: 'bad' },
} as const;
