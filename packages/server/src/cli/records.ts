import { systemClock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError, messageOf } from '../kernel/errors.ts';
import { FileTable } from '../transient/records/files/table.ts';
import { Records } from '../transient/records/index.ts';
import type { SourceDescription } from '../transient/records/shape.ts';
import type { RecordTable } from '../transient/records/table.ts';
import { EXIT, type Output, table } from './output.ts';
import { progressBar } from './progress.ts';

interface Shown extends SourceDescription {
  /** Of what `--index` read: bytes, and how long that took. */
  indexed?: { bytes: number; milliseconds: number };
}

export async function records(
  config: Config,
  output: Output,
  model: string | undefined,
  flags: { index?: boolean },
): Promise<number> {
  const all = new Records(config, systemClock);
  try {
    const chosen = all.tables.filter(({ source }) => model === undefined || source.model === model);
    if (model !== undefined && chosen.length === 0) {
      const valid = all.tables.map(({ source }) => source.model).join(', ') || 'none';
      throw new InfoldError('not_found', `Unknown model "${model}". Configured: ${valid}`);
    }
    const shown: Shown[] = [];
    for (const one of chosen) shown.push(flags.index ? await indexed(one) : await one.describe());
    output.answer({ models: shown }, () => render(shown));
    if (shown.some(({ state }) => state === 'unavailable')) return EXIT.failed;
    return flags.index && shown.some(({ problems }) => problems.length > 0) ? EXIT.partly : EXIT.done;
  } finally {
    await all.close();
  }
}

async function indexed(one: RecordTable): Promise<Shown> {
  if (!(one instanceof FileTable)) return one.describe();
  const bar = progressBar(`indexing ${one.source.model}`);
  try {
    const { bytes, milliseconds } = await one.index(bar.update);
    return { ...(await one.describe()), indexed: { bytes, milliseconds } };
  } catch (error) {
    return { ...(await one.describe()), state: 'unavailable', problems: [messageOf(error)] };
  } finally {
    bar.done();
  }
}

function render(shown: readonly Shown[]): string {
  if (shown.length === 0) return 'No sources. Name some under "sources" in infold.config.json.';
  const rows = shown.map(({ model, type, records: count, state, columns }) => [
    model,
    type,
    count === null ? '-' : String(count),
    state,
    columns.map(({ name, type: kind }) => `${name}:${kind}`).join(' ') || '-',
  ]);
  const problems = shown.flatMap(({ model, problems: found }) =>
    found.map((problem) => `${model}: ${problem}`),
  );
  return [table(rows, ['MODEL', 'TYPE', 'RECORDS', 'STATE', 'COLUMNS']), ...problems].join('\n');
}
