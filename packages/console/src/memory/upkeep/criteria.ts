import type { AuditCriterion, AuditKind } from '@infold/protocol';

export const KINDS_OF_FINDINGS = ['contradicted', 'doubled', 'stale'] as const satisfies readonly AuditKind[];

/** By what something is found, the most urgent first. The server decides; this says it. */
export const CRITERIA: readonly { id: AuditCriterion; kind: AuditKind; name: string; about: string }[] = [
  {
    id: 'contradiction',
    kind: 'contradicted',
    name: 'Contradictions',
    about: 'Somebody recorded that one item contradicts another, and both still stand.',
  },
  {
    id: 'same_name',
    kind: 'contradicted',
    name: 'Same name',
    about: 'Several decisions, rules, plans or the like of one name stand in one place. Only one can hold.',
  },
  {
    id: 'exact_double',
    kind: 'doubled',
    name: 'Exact doubles',
    about: 'The same text, title and kind in one place, outside of conversations.',
  },
  {
    id: 'same_words',
    kind: 'doubled',
    name: 'Same words',
    about: 'The same words, apart from case, accents, punctuation and spacing.',
  },
  {
    id: 'replaced_basis',
    kind: 'stale',
    name: 'Rests on something old',
    about: 'It requires, supports or decides an item that was superseded since.',
  },
  {
    id: 'past_validity',
    kind: 'stale',
    name: 'Valid long ago',
    about: 'It says on which day it was valid, and that was more than 60 days ago. It may still be true.',
  },
  {
    id: 'idle_task',
    kind: 'stale',
    name: 'Idle tasks',
    about: 'A task that is marked as being worked on, and was written down more than 60 days ago.',
  },
  {
    id: 'never_used',
    kind: 'stale',
    name: 'Never used',
    about: 'Packs showed it to five sessions or more, and none of them read, named or mentioned it.',
  },
];
