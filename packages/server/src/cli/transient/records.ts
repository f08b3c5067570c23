import { listSources } from '../../transient/actions/list-sources.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { EXIT, table } from '../output.ts';
import type { ActionOutput } from '../services/calls.ts';

export function records(
  run: Run,
  model: string | undefined,
  { index = false }: { index?: boolean },
): Promise<number> {
  return act(
    run,
    listSources,
    { model, index },
    {
      makesFolder: true,
      ...(index && { progress: 'indexing' }),
      show: render,
      exitCode: ({ models }) => {
        if (models.some(({ state }) => state === 'unavailable')) return EXIT.failed;
        return index && models.some(({ problems }) => problems.length > 0) ? EXIT.partly : EXIT.done;
      },
    },
  );
}

function render({ models }: ActionOutput<typeof listSources>): string {
  if (models.length === 0) return 'No sources. Declare them under "sources" in infold.config.json.';
  const rows = models.map(({ model, type, records: count, state, columns }) => [
    model,
    type,
    count === null ? '-' : String(count),
    state,
    columns.map(({ name, type: kind }) => `${name}:${kind}`).join(' ') || '-',
  ]);
  const problems = models.flatMap(({ model, problems: found }) =>
    found.map((problem) => `${model}: ${problem}`),
  );
  return [table(rows, ['MODEL', 'TYPE', 'RECORDS', 'STATE', 'COLUMNS']), ...problems].join('\n');
}
