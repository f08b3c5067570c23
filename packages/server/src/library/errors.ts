import type { Constraint, DraftChoice } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { Protection } from './events.ts';

/** The seed's texts stand here word for word; what it leaves open says what would be right. */

export function setupRequired(sessionId?: string): InfoldError {
  const which = sessionId === undefined ? '' : ` (there is no session "${sessionId.slice(0, 128)}")`;
  return new InfoldError(
    'setup_required',
    `memory.setup with the exact host session_id is required before other library tools${which}; do not invent a session_id`,
    { retryable: true, details: { retryAction: 'call_memory_setup' } },
  );
}

export function unknownRuleId(ids: readonly string[]): InfoldError {
  return new InfoldError('unknown_rule', 'Unknown rule id', {
    retryable: true,
    details: { retryAction: 'rediscover_and_reload', ids },
  });
}

export function unknownRule(id: string): InfoldError {
  return new InfoldError(
    'unknown_rule_or_workflow',
    `memory.refer ruleId '${id}' is not a known rule or workflow; rediscover with memory.discover and reload with memory.load`,
    { retryable: true, details: { retryAction: 'rediscover_and_reload' } },
  );
}

export function invalidTargetKind(id: string): InfoldError {
  return new InfoldError(
    'invalid_target_kind',
    `memory.refer ruleId '${id}' is a context file; context is reference material, use the id of a rule or workflow`,
    { details: { retryAction: 'use_rule_or_workflow_id' } },
  );
}

export function unknownConstraint(
  ruleId: string,
  constraintId: string,
  valid: readonly Constraint[],
): InfoldError {
  const options = valid.length === 0 ? 'none' : valid.map(({ id }) => id).join(', ');
  return new InfoldError(
    'unknown_constraint',
    `memory.refer constraintId '${constraintId}' is not valid for ruleId '${ruleId}'; retry with one of: ${options}`,
    {
      retryable: true,
      details: {
        retryAction: 'retry_with_valid_constraint',
        validConstraints: valid.map(({ id, name, text }) => ({ id, name, text })),
      },
    },
  );
}

export function fileNotFound(): InfoldError {
  return new InfoldError('file_not_found', 'file not found in cache');
}

/** The op of the draft that is in the way tells the caller whether to go on with it or to discard it. */
export function draftExists(draft: { path: string; new_path: string | null; op: string }): InfoldError {
  return new InfoldError('draft_exists', 'draft already exists', {
    details: {
      draft: { draft_path: draft.new_path ?? draft.path, op: draft.op },
      hint: 'discard it first, or go on with the same operation',
    },
  });
}

/** One that the session does not see, so that it would not know what it replaces. */
export function draftElsewhere(draft: { path: string; new_path: string | null; op: string }): InfoldError {
  return new InfoldError(
    'draft_exists',
    'draft already exists: another session staged it; call memory.setup with drafts: true to see it and go on with it',
    {
      details: {
        retryAction: 'call_memory_setup_with_drafts',
        draft: { draft_path: draft.new_path ?? draft.path, op: draft.op },
      },
    },
  );
}

export function pathTaken(path: string): InfoldError {
  return new InfoldError('path_taken', `a file already exists at ${path}`, { details: { path } });
}

export function draftNotFound(id: string): InfoldError {
  return new InfoldError('draft_not_found', `There is no draft ${id.slice(0, 200)}, or you may not see it`);
}

interface NamedDraft {
  id: string;
  path: string;
  new_path: string | null;
  status: string;
  principal: string;
}

/** What a caller needs to choose one of several drafts. */
export function draftChoice({ id, path, new_path, status, principal }: NamedDraft): DraftChoice {
  return { id, draft_path: new_path ?? path, status, drafted_by: principal };
}

export function severalDrafts(wanted: string, drafts: readonly NamedDraft[]): InfoldError {
  const choices = drafts.map(draftChoice);
  const said = choices.map(
    ({ id, status, drafted_by }) => `${id} (${status.replace('_', ' ')}, by ${drafted_by})`,
  );
  return new InfoldError(
    'several_drafts',
    `There are several drafts of ${wanted.slice(0, 200)}; name one by its id: ${said.join(', ')}`,
    { details: { drafts: choices } },
  );
}

/** Somebody would judge, or write over, a version that they have not seen. */
export function changedSince(what: string): InfoldError {
  return new InfoldError('conflict', `${what} has changed since you read it: read it again first`, {
    retryable: true,
    details: { retryAction: 'read_again' },
  });
}

export function draftState(status: string, needed: string): InfoldError {
  return new InfoldError('draft_state', `The draft is ${status.replace('_', ' ')}; ${needed}`, {
    details: { status },
  });
}

export function revisionNotFound(
  target: string,
  revision: number,
  history: readonly { revision: number; op: string }[],
): InfoldError {
  const name = target.slice(0, 200);
  // What a deletion leaves is nothing to bring back.
  const known = history.filter(({ op }) => op !== 'delete').map((entry) => entry.revision);
  const message =
    known.length === 0
      ? `Nothing was ever published at ${name}`
      : `There is no revision ${revision} of ${name}; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
  return new InfoldError('not_found', message, { details: { revisions: known } });
}

/** The library is a copy: what is in force there is decided at its hub. */
export function ofHub(url: string): InfoldError {
  return new InfoldError(
    'forbidden',
    `This library is the hub's (${url}): submit a draft, which is reviewed and published there, or run "infold hub leave"`,
  );
}

/** What is selected is changed where it is published. */
export function ofOrganisation(path: string, revision: number): InfoldError {
  return new InfoldError(
    'forbidden',
    `${path} is from the organisation's library (revision ${revision}): change it there, in the project "organisation", or ` +
      'publish a file of your own at this path, which then wins',
    { details: { path, organisation: revision } },
  );
}

export function protectedPath(path: string, protection: Protection, counted: readonly string[]): InfoldError {
  const { pattern, reviewers, approvals } = protection;
  const who = reviewers.length === 0 ? 'anybody who may review' : reviewers.join(', ');
  const has = counted.length === 0 ? 'none' : `only ${counted.length} (${counted.join(', ')})`;
  return new InfoldError(
    'forbidden',
    `${path} is protected by "${pattern}": it needs ${approvals} ${approvals === 1 ? 'approval' : 'approvals'} of ${who}, and has ${has}`,
    { details: { path, pattern, reviewers, approvals, approved_by: counted } },
  );
}

export function notReviewer(path: string, protections: readonly Protection[]): InfoldError {
  const patterns = protections.map(({ pattern, reviewers }) => `"${pattern}" (${reviewers.join(', ')})`);
  return new InfoldError(
    'forbidden',
    `${path} is protected: your approval does not count; the reviewers are those of ${patterns.join(' and ')}`,
    { details: { path, protections } },
  );
}

export function notProtected(pattern: string, protections: readonly Protection[]): InfoldError {
  const known = protections.map((one) => `"${one.pattern}"`).join(', ');
  return new InfoldError(
    'not_found',
    `"${pattern}" is not protected; ${known === '' ? 'nothing is' : `protected are ${known}`}`,
  );
}

export function ownDraft(): InfoldError {
  return new InfoldError(
    'forbidden',
    'You drafted this yourself: somebody else must approve it (the setting library.selfApproval is false)',
  );
}

export function invalidContent(path: string, problems: readonly string[]): InfoldError {
  return new InfoldError('invalid_content', `${path} cannot be published: ${problems.join('; ')}`, {
    details: { path, problems },
  });
}

export function invalid(message: string): InfoldError {
  return new InfoldError('invalid_arguments', message);
}
