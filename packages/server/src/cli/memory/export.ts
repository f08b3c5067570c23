import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { exportLines } from '../../memory/ingest/export.ts';
import { readablePartitions } from '../../memory/queries.ts';
import { readerFor } from '../../memory/read-access.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';

export function memoryExport(
  run: Run,
  file: string | undefined,
  { project }: { project?: string },
): Promise<void> {
  return actInFolder(run, {}, async (_call, { journal: { database } }) => {
    const reader = readerFor({ database, caller: localOwner }, { project });
    const partitions = readablePartitions(database, reader).filter(
      ({ project_id }) => project === undefined || project_id !== '',
    );
    const stream = file === undefined ? undefined : createWriteStream(resolve(file));
    const target: Writable = stream ?? process.stdout;
    let items = 0;
    for (const line of exportLines(database, partitions)) {
      items++;
      if (!target.write(`${JSON.stringify(line)}\n`)) await once(target, 'drain');
    }
    if (!stream || file === undefined) return;
    stream.end();
    await finished(stream);
    run.output.answer({ items, file: resolve(file) }, () => `${items} items written to ${resolve(file)}.`);
  });
}
