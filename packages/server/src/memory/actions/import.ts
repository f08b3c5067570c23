import { type InputOf, memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { Importer } from '../ingest/importer.ts';
import { LineReader } from '../ingest/lines.ts';

type Given = Pick<InputOf<typeof memoryApi.importMemory>, 'items' | 'lines'>;

const linesIn = ({ items, lines }: Given): readonly unknown[] => items ?? lines!.split('\n');

/** The importer takes secrets out line by line. */
export const importMemory = defineAction(memoryApi.importMemory, {
  scrubsItself: true,
  rate: { of: 'remembers', amount: ({ dry_run, ...given }) => (dry_run ? 0 : linesIn(given).length) },
  async run({ project, dry_run: dryRun, ...given }, { journal, scrubber, caller, config, giveWay }) {
    const importer = new Importer({ journal, scrubber, caller, project, dryRun, giveWay });
    const reader = new LineReader(config.limits);
    for (const [index, line] of linesIn(given).entries()) {
      const parsed = given.items ? reader.read(line) : reader.parse(line as string);
      if (!parsed) continue;
      if ('line' in parsed) await importer.add(index + 1, parsed.line);
      else importer.refuse(index + 1, parsed.problem);
    }
    return { structured: await importer.finish() };
  },
});
