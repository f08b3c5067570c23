import { transientApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { FileTable } from '../records/files/table.ts';
import type { SourceDescription } from '../records/shape.ts';

interface SourceView extends SourceDescription {
  indexed?: { bytes: number; milliseconds: number };
}

export const listSources = defineAction(transientApi.listSources, {
  async run({ model, index }, { parts, progress }) {
    const { tables } = parts.records;
    const chosen = tables.filter(({ source }) => model === undefined || source.model === model);
    if (model !== undefined && chosen.length === 0) {
      const valid = tables.map(({ source }) => source.model).join(', ') || 'none';
      throw new InfoldError('not_found', `Unknown model "${model}". Configured: ${valid}`);
    }
    const models: SourceView[] = [];
    for (const table of chosen) {
      models.push(
        index && table instanceof FileTable ? await indexed(table, progress) : await table.describe(),
      );
    }
    return { structured: { models } };
  },
});

async function indexed(
  table: FileTable,
  progress: (done: number, total: number) => void,
): Promise<SourceView> {
  try {
    const { bytes, milliseconds } = await table.index(progress);
    return { ...(await table.describe()), indexed: { bytes, milliseconds } };
  } catch (error) {
    return { ...(await table.describe()), state: 'unavailable', problems: [messageOf(error)] };
  }
}
