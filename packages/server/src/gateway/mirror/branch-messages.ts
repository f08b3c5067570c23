import { ENVELOPE_PROTOCOL, type Envelope } from '@infold/protocol';
import type { RolledBack } from '../../fold/events.ts';
import type { Entry, JournalEvent } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import { BRANCH_TYPE } from '../contexts/policy.ts';

/** A message that tells in a pod what an agent did in a branch. */
export interface Mirrored {
  envelope: Envelope;
  branchId: string;
  /** In whose pod it is told: that of the branch whose context it is told in. */
  projectId: string;
  /** What it adds to its context: what the event added to the branch. */
  tokens: number;
  /** The branch is at its end, and its context with it. */
  concludes: boolean;
}

interface Told {
  /** The branch that it is told of. */
  branchId: string;
  /** Whose context it is told in; null is the main one. */
  context: { id: string; parent: string | null; metadata?: Record<string, unknown> } | null;
  kind: string;
  payload: Record<string, unknown>;
  tokens?: number;
  concludes?: boolean;
}

/** Of what a tool was given and answered, a pod is shown the beginning; the branch's archive has all of it. */
const EXCERPT = 400;
/** What these answer was said in a pod already: telling it there would tell it for ever. */
const POD_TOOL = /^pod_/;

/** The project that a branch works for. */
export type ProjectOfBranch = (branchId: string) => string;

/**
 * SUB-13: an entry of a session as messages for the pods of its branches' projects. Figures are those of the branch, so that a context
 * and its branch agree, less what others say there. What happens on the main thread is not a branch's and is not told.
 */
export function mirroredEntry(entry: Entry, projectOf: ProjectOfBranch): Mirrored[] {
  const told = entry.events.flatMap((event) => tell(event, projectOf));
  return told.map(({ branchId, context, kind, payload, tokens = 0, concludes = false }, index) => ({
    branchId,
    projectId: projectOf(context?.id ?? branchId),
    tokens,
    concludes,
    envelope: {
      protocol: ENVELOPE_PROTOCOL,
      // The same entry gives the same ids: what is told twice is heard once.
      id: `${entry.id}-${index}`,
      ts: isoTime(entry.at),
      from: entry.actor.principal,
      kind,
      ...(context?.id === branchId ? {} : { correlation_id: branchId }),
      ...(context ? { context: contextOf(context) } : {}),
      payload,
    },
  }));
}

/** Where it is not said whose branch it is. */
export const TELLER = 'infold';
const OWNERS = ['prompt', 'input', 'output'];

/**
 * The same for a project whose members share summaries: what a branch is about, what it used and what it came to. A message is
 * made once for all who hear it, so that what is its owner's alone is not in it: the owner finds it in the branch.
 */
export function summarised(message: Mirrored): Mirrored {
  const { context, payload, ...envelope } = message.envelope;
  const { session_id: _, ...metadata } = context?.metadata ?? {};
  return {
    ...message,
    envelope: {
      ...envelope,
      from: TELLER,
      ...(context ? { context: { ...context, ...(context.metadata ? { metadata } : {}) } } : {}),
      payload: Object.fromEntries(
        Object.entries(payload as Record<string, unknown>).filter(([name]) => !OWNERS.includes(name)),
      ),
    },
  };
}

function contextOf({ id, parent, metadata }: NonNullable<Told['context']>) {
  return {
    id,
    type: BRANCH_TYPE,
    ...(parent === null ? {} : { parent }),
    ...(metadata ? { metadata } : {}),
  };
}

function tell({ type, data }: JournalEvent, projectOf: ProjectOfBranch): Told[] {
  switch (type) {
    case 'branch.created': {
      const { branch_id, parent_id, session_id, description, prompt, budget, tokens, depth } = data;
      // A parent that works for another project has its context in another pod.
      const isApart = parent_id !== null && projectOf(parent_id) !== projectOf(branch_id);
      const metadata = {
        session_id,
        description,
        depth,
        ...(budget === null ? {} : { budget }),
        ...(isApart ? { parent_branch_id: parent_id } : {}),
      };
      const told = inBranch(branch_id, 'fold/branch', { description, prompt, tokens }, { tokens });
      return [{ ...told, context: { id: branch_id, parent: isApart ? null : parent_id, metadata } }];
    }
    case 'operation.completed': {
      const { branch_id, tool, tokens, source, input, output } = data;
      if (branch_id === null) return [];
      const shown = POD_TOOL.test(tool) ? {} : { ...excerpt('input', input), ...excerpt('output', output) };
      return [inBranch(branch_id, 'fold/operation', { tool, tokens, source, ...shown }, { tokens })];
    }
    case 'branch.folded': {
      const { branch_id, parent_id, summary, summary_tokens: tokens, tokens_folded, folded_by } = data;
      const payload = {
        ...(summary === '' ? {} : { summary }),
        tokens_folded,
        tokens_saved: tokens_folded - tokens,
        ...(folded_by === null ? {} : { folded_by }),
      };
      const end = inBranch(branch_id, 'conclusion', payload, { concludes: true });
      // A child that its parent's fold took along brings its parent nothing.
      if (folded_by !== null) return [end];
      return [end, inParent(branch_id, parent_id, 'fold/return', { branch_id, summary, tokens }, tokens)];
    }
    case 'branch.rolled_back':
      return rolledBack(data);
    default:
      return [];
  }
}

/** Discarded branches end, reopened ones go on, and summaries leave the contexts that had them. */
function rolledBack({ target, discarded, reopened, operations_tokens }: RolledBack): Told[] {
  const payload = { rolled_back_to: target ?? 'main' };
  return [
    ...discarded.map(({ branch_id }) => inBranch(branch_id, 'fold/discarded', payload, { concludes: true })),
    ...reopened.map(({ branch_id }) => inBranch(branch_id, 'fold/reopened', payload)),
    ...[...discarded, ...reopened]
      .filter(({ parent_id, summary_tokens }) => parent_id !== null && summary_tokens > 0)
      .map(({ branch_id, parent_id, summary_tokens: tokens }) =>
        inParent(branch_id, parent_id, 'fold/withdrawn', { branch_id, tokens }, -tokens),
      ),
    ...(target !== null && operations_tokens > 0
      ? [inBranch(target, 'fold/undone', { tokens: operations_tokens }, { tokens: -operations_tokens })]
      : []),
  ];
}

function inBranch(
  id: string,
  kind: string,
  payload: Record<string, unknown>,
  more: Pick<Told, 'tokens' | 'concludes'> = {},
): Told {
  return { branchId: id, context: { id, parent: null }, kind, payload, ...more };
}

function inParent(
  branchId: string,
  parent: string | null,
  kind: string,
  payload: Record<string, unknown>,
  tokens: number,
): Told {
  return {
    branchId,
    context: parent === null ? null : { id: parent, parent: null },
    kind,
    payload,
    tokens,
  };
}

function excerpt(name: string, value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { [name]: text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text };
}
