import type { BranchStatus } from '@infold/protocol';
import {
  BookOpen,
  ChevronsDownUp,
  Circle,
  CircleCheck,
  CircleDot,
  CircleSlash,
  Flag,
  FoldVertical,
  Lightbulb,
  type LucideIcon,
  Milestone,
  Package,
  TimerOff,
  Undo2,
} from 'lucide-react';
import { classes } from '../../design/classes.ts';
import styles from './states.module.css';
import type { MarkKind, OperationState } from './tree.ts';

type State = BranchStatus | OperationState;

const LOOKS: Record<State, { icon: LucideIcon; word: string; about: string }> = {
  active: { icon: CircleDot, word: 'active', about: 'Open: what it holds is in the window' },
  folded: { icon: FoldVertical, word: 'folded', about: 'Its summary replaces it in its parent' },
  discarded: {
    icon: CircleSlash,
    word: 'discarded',
    about: 'Rolled back or abandoned: it no longer counts, and is archived',
  },
  expired: { icon: TimerOff, word: 'expired', about: 'It was open when the session ended' },
  counted: { icon: Circle, word: 'counted', about: 'All of it is in the window' },
  consumed: { icon: CircleCheck, word: 'consumed', about: 'Used up: it may be collapsed' },
  collapsed: { icon: ChevronsDownUp, word: 'collapsed', about: 'A summary replaces it' },
};

/** A state as colour, sign and word. */
export function StateMark({ state, isCell = false }: { state: State; isCell?: boolean }) {
  const { icon: Icon, word } = LOOKS[state];
  return (
    <span className={classes(styles.state, styles[state], isCell && styles.cell)}>
      <Icon aria-hidden />
      <span className={styles.word}>{word}</span>
    </span>
  );
}

export function meaningOf(state: State): string {
  return LOOKS[state].about;
}

export const MARKS: Record<MarkKind, { icon: LucideIcon; word: string }> = {
  session: { icon: Milestone, word: 'session' },
  rules: { icon: BookOpen, word: 'rules' },
  pack: { icon: Package, word: 'pack' },
  finding: { icon: Lightbulb, word: 'finding' },
  report: { icon: Flag, word: 'report' },
  rollback: { icon: Undo2, word: 'rollback' },
};
