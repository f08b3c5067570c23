import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type ForgetTarget, type Forgetter, forget as forgetIn } from '../../trust/forget.ts';
import { callerIn } from '../org.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** How each door forgets. */
    forgetters: readonly Forgetter[];
    /** What is kept for a while stands beside the journal. Each answers how many results of a target it forgot. */
    keptResults: readonly ((target: ForgetTarget) => Promise<number>)[];
  }
}

/**
 * Not served over HTTP: items, branches and sessions are named by ids that hold in every organisation. What is named is
 * found by its name, so nothing is taken out of it.
 */
export const forget = defineAction(systemApi.forget, {
  scrubsItself: true,
  async run({ kind, id, org: wanted }, { caller, journal, parts }) {
    const { org } = callerIn(caller, wanted);
    const target = { kind, id, org };
    let results = 0;
    for (const forgetKept of parts.keptResults) results += await forgetKept(target);
    const { entries } = await forgetIn(journal, caller, target, parts.forgetters).catch((error: unknown) => {
      // Somebody who only read has left nothing in the journal.
      if (results > 0 && InfoldError.isInstance(error) && error.code === 'not_found') return { entries: 0 };
      throw error;
    });
    return { structured: { forgotten: target, entries, results } };
  },
});
