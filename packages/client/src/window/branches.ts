import type { Placed, Results } from './layout.ts';

/** Names as hosts write them: `mcp__infold__context_branch`, `infold_context_branch`, `context_branch`. */
export function isTool(name: string, tool: string): boolean {
  return name === tool || (name.endsWith(tool) && /[_./-]$/.test(name.slice(0, -tool.length)));
}

/** Of a JSON text that may itself stand in a JSON text. */
function fieldIn(text: string, key: string): string | undefined {
  return new RegExp(`\\\\*"${key}\\\\*"\\s*:\\s*\\\\*"([^"\\\\]+)`).exec(text)?.[1];
}

/** A branch of the conversation, from its call on. */
export interface Branch {
  id: string;
  begun: Placed;
  description: string;
  /** The return that folded it, if one did. */
  ended?: Placed;
  summary?: string;
  /** The rollback that took it away, or that opened it again after it was folded. */
  discarded?: Placed;
}

export interface Reopened {
  branch: Branch;
  ended: Placed;
  by: Placed;
}

export interface Branches {
  all: readonly Branch[];
  /** Folds that a rollback undid. */
  reopened: readonly Reopened[];
  rollbacks: readonly { at: Placed; discarded: readonly Branch[] }[];
}

/** What was branched, folded and rolled back, by what the calls' own results say. A return without its branch is nobody's. */
export function findBranches(results: Results): Branches {
  const byId = new Map<string, Branch>();
  const reopened: Reopened[] = [];
  const rollbacks: Branches['rollbacks'][number][] = [];
  for (const placed of results.byCall.values()) {
    const { part, call } = placed;
    if (part.isError) continue;
    if (isTool(call.name, 'context_branch')) {
      const id = fieldIn(part.text, 'branch_id');
      if (id !== undefined)
        byId.set(id, { id, begun: placed, description: inputText(call.input, 'description') });
    } else if (isTool(call.name, 'context_return')) {
      const branch = byId.get(fieldIn(part.text, 'branch_id') ?? '');
      if (!branch || fieldIn(part.text, 'folded_at') === undefined || branch.discarded) continue;
      branch.ended = placed;
      branch.summary = inputText(call.input, 'message');
    } else if (isTool(call.name, 'context_rollback')) {
      const target = fieldIn(part.text, 'rolled_back_to');
      if (target === undefined) continue;
      const list = /branches_discarded\\*"\s*:\s*\[([^\]]*)\]/.exec(part.text)?.[1] ?? '';
      const discarded = [...list.matchAll(/br_[\w-]+/g)].flatMap(([id]) => byId.get(id) ?? []);
      for (const branch of discarded) branch.discarded = placed;
      if (discarded.length > 0) rollbacks.push({ at: placed, discarded });
      const open = byId.get(target);
      if (open?.ended) {
        reopened.push({ branch: open, ended: open.ended, by: placed });
        delete open.ended;
        delete open.summary;
      }
    }
  }
  return { all: [...byId.values()], reopened, rollbacks };
}

function inputText(input: unknown, key: string): string {
  const value = (input as Record<string, unknown> | null | undefined)?.[key];
  return typeof value === 'string' ? value : '';
}

/** The branches that are still open where something stands, outermost first: it goes when one of them is folded. */
export function openAround({ all }: Branches, message: number): string[] {
  return all
    .filter(({ begun, ended, discarded }) => !ended && !discarded && begun.message < message)
    .map(({ id }) => id);
}
