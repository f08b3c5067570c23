import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';

/** Not served over HTTP: it reads the whole journal, and names streams of every organisation. */
export const verify = defineAction(systemApi.verify, {
  async run({ tables }, { journal, progress }) {
    const report = await journal.verify(progress);
    // Tables of a journal that is not as it was written would be compared with nothing that can be trusted.
    const compared = tables && report.ok ? await journal.verifyTables(progress) : undefined;
    return { structured: { ...report, ...(compared && { tables: compared }) } };
  },
});
