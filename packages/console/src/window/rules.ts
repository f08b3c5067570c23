/** Why something left the window, in words. The one table of them. */
export interface RuleWords {
  /** On a badge. */
  name: string;
  /** Why, in a sentence. */
  why: string;
}

export const RULES: Readonly<Record<string, RuleWords>> = {
  folded: {
    name: 'Folded',
    why: 'Its branch was folded: the summary says what came of it.',
  },
  discarded: {
    name: 'Discarded',
    why: 'Its branch was rolled back, so what was done there no longer counts.',
  },
  consumed: {
    name: 'Consumed',
    why: 'It was marked as transient, and something has used it since.',
  },
  shortened: {
    name: 'Shortened',
    why: 'Failures, matches, head and tail stay; what passed or repeats itself is left out.',
  },
  repeated: {
    name: 'Repeated',
    why: 'An earlier result in the window says the same to the letter.',
  },
  superseded: {
    name: 'Superseded',
    why: 'The file was read or written again later, so this is an old state of it.',
  },
  resolved: {
    name: 'Resolved',
    why: 'The command failed here and passed unchanged later.',
  },
  aged: {
    name: 'Aged',
    why: 'The window was nearly full, and this was among its oldest large results.',
  },
};

/** A rule of a later version has its own name, and says nothing more. */
export function wordsFor(rule: string): RuleWords {
  if (Object.hasOwn(RULES, rule)) return RULES[rule]!;
  return { name: rule, why: 'It left by a rule that this page does not know.' };
}

/** Something that left is back: a branch was reopened, or the host referred to it. */
export const CAME_BACK = 'It is back in the window: its branch was reopened, or the host refers to it.';

/** Tools of servers carry the server's name before their own, in the spelling of each host. */
export function toolName(tool: string): string {
  return tool.replace(/^mcp__(.+?)__(.+)$/, '$2 ($1)');
}
