import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { diariesFor } from '../queries.ts';
import { readerFor } from '../read-access.ts';

export const listDiaries = defineAction(memoryApi.listDiaries, {
  run(whose, context) {
    const diaries = diariesFor(context.database, readerFor(context, whose));
    return {
      structured: {
        diaries: diaries.map(({ agent_id, items, last_at }) => ({
          ...{ agent_id, items, last_at: isoTime(last_at) },
        })),
      },
    };
  },
});
