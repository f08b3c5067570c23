import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { listDenials as denialsOf } from '../../trust/identity/queries.ts';
import { orgOrAll } from '../org.ts';

const MOST = 500;

export const listDenials = defineAction(systemApi.listDenials, {
  run({ org }, { database, caller }) {
    const denials = denialsOf(database, MOST, orgOrAll(caller, org)).map((denial) => ({
      ...denial,
      first_at: isoTime(denial.first_at),
      last_at: isoTime(denial.last_at),
    }));
    return { structured: { denials, next: null } };
  },
});
