import type { DraftStatus } from '@infold/protocol';
import { badArguments } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import { type Draft, openDrafts } from '../queries/drafts.ts';
import { draftOfCall } from './draft-of-call.ts';

/** Of which drafts `all` is said; of one's own where the step is the drafter's. */
const ALL_OF = {
  submit: { status: 'draft', own: true },
  approve: { status: 'in_review', own: false },
  decline: { status: 'in_review', own: false },
  discard: { status: 'draft', own: true },
  publish: { status: 'approved', own: false },
} satisfies Record<string, { status: DraftStatus; own: boolean }>;

interface Choice {
  project?: string | undefined;
  /** Ids or paths. */
  drafts: readonly string[];
  all: boolean;
  /** All of those to discard are meant, also those in review. */
  force?: boolean;
}

interface Chosen {
  drafts: Draft[];
  /** Those in review, which are not discarded in passing. */
  left: Draft[];
}

/** Those that are named, or all with which the step can be taken. */
export function chosenDrafts(
  context: CallContext,
  action: { name: string },
  step: keyof typeof ALL_OF,
  { project, drafts: names, all, force = false }: Choice,
): Chosen {
  if (all === names.length > 0) {
    throw badArguments(action.name, [`drafts: name those to ${step}, or ask for all, not both`], 'drafts');
  }
  if (!all) return { drafts: names.map((id) => draftOfCall(context, { id, project }, step)), left: [] };
  const { caller, database } = context;
  const { status, own } = ALL_OF[step];
  const meant = openDrafts(database, caller, context.project(project).workspace_id).filter(
    ({ principal }) => !own || principal === caller.principal,
  );
  if (step === 'discard' && force) return { drafts: meant, left: [] };
  const drafts = meant.filter((draft) => draft.status === status);
  return { drafts, left: step === 'discard' ? meant.filter((draft) => !drafts.includes(draft)) : [] };
}
