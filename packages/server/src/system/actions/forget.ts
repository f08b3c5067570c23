import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { forgetEverywhere } from '../../call/forget.ts';
import { callerIn } from '../org.ts';

/**
 * Not served over HTTP: items, branches and sessions are named by ids that hold in every organisation. What is named is
 * found by its name, so nothing is taken out of it.
 */
export const forget = defineAction(systemApi.forget, {
  scrubsItself: true,
  async run({ kind, id, org: wanted }, context) {
    const { caller } = context;
    const { org } = callerIn(caller, wanted);
    const target = { kind, id, org };
    const { entries, results } = await forgetEverywhere(context, caller, target);
    return { structured: { forgotten: target, entries, results } };
  },
});
