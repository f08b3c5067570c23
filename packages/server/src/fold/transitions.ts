import type { BranchStatus } from '@infold/protocol';

export type BranchAction = 'fold' | 'discard' | 'reopen' | 'expire';

/** Which action leads from which status to which. What is not here cannot happen. */
export const TRANSITIONS: {
  readonly [status in BranchStatus]: { readonly [action in BranchAction]?: BranchStatus };
} = {
  active: { fold: 'folded', discard: 'discarded', expire: 'expired' },
  folded: { discard: 'discarded', reopen: 'active' },
  discarded: {},
  expired: {},
};

export function after(status: BranchStatus, action: BranchAction): BranchStatus | undefined {
  return TRANSITIONS[status][action];
}
