import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { listDenials as denialsOf, listTokens } from '../../trust/identity/queries.ts';
import { isWithin, orgOrAll } from '../org.ts';

const MOST = 500;

export const listDenials = defineAction(systemApi.listDenials, {
  run({ org }, { database, caller }) {
    const tokens = caller.projects === null ? [] : listTokens(database);
    /** Who administers some projects learns nothing of who works in others. */
    const isShown = (denied: { org: string; principal: string }) =>
      caller.projects === null ||
      denied.principal === caller.principal ||
      tokens.some(
        (token) => token.org === denied.org && token.name === denied.principal && isWithin(caller, token),
      );
    const found = denialsOf(database, MOST, orgOrAll(caller, org)).filter(isShown);
    const denials = found.map((denial) => ({
      ...denial,
      first_at: isoTime(denial.first_at),
      last_at: isoTime(denial.last_at),
    }));
    return { structured: { denials, next: null } };
  },
});
