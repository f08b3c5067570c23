/** How full a window is, by the thresholds that `context_health` has. */
export type Health = 'none' | 'medium' | 'high';

export function healthOf(usage: number): Health {
  return usage > 0.7 ? 'high' : usage > 0.5 ? 'medium' : 'none';
}

export const HEALTH = {
  none: { tone: 'good', words: 'plenty of room' },
  medium: { tone: 'warn', words: 'medium: it is filling up' },
  high: { tone: 'bad', words: 'high: nearly full' },
} as const;
