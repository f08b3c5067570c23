import type { ContextIntent } from '@infold/protocol';
import { isToGoOn } from '../text/intent/purpose.ts';
import type { Change } from './in-time.ts';

/** What the next one who comes with such a goal would be glad to find. */
const WORTH: Record<ContextIntent, string> = {
  build: 'what was decided and why, rules to keep to, and traps that were met',
  plan: 'decisions and their reasons, milestones, and what was put off',
  ideate: 'ideas, and why one was taken or dropped',
  research: 'findings with their sources, and what was ruled out',
  debug: 'the cause and the fix, and how it showed',
  decide: 'decisions and their reasons, and the options that were turned down',
  learn: 'how it works and where that is written',
  general: 'what was decided and why, rules, traps, and how it is done',
};

/** PACK-17: that nothing is known, and what would be worth remembering. */
export function nothingKnown(
  goal: string,
  intent: ContextIntent,
  domain: string | null,
  change: Change,
): string {
  const where = domain === null ? '' : ` in the domain "${domain}"`;
  return `Nothing is known about this yet${where}. Worth remembering once it is: ${worthRemembering(goal, intent, change)}.`;
}

export function worthRemembering(goal: string, intent: ContextIntent, change: Change): string {
  if (isToGoOn(goal)) return 'what is being worked on (kind task, with its status), and the next step';
  if (change !== undefined) return 'each state with its day, and what it replaced';
  return WORTH[intent];
}
