import { constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportReport } from '@infold/protocol';
import type { Project } from '../../trust/identity/queries.ts';
import { invalid } from '../errors.ts';
import { decodeText } from '../files/content.ts';
import { type FileImportOptions, importFrom, type Work } from './import-files.ts';
import { scanFolder } from './scan-folder.ts';

/** Makes the Markdown of a folder the library's, or drafts of it. */
export async function importFolder(
  work: Work,
  project: Project,
  folder: string,
  options: FileImportOptions,
): Promise<ImportReport> {
  const read = ({ source }: { source: string }) => readText(join(folder, source));
  const scan = (known: ReadonlySet<string>) => scanFolder(folder, known);
  const { files: _, ...report } = await importFrom(work, project, { scan, read, isWhole: true }, options);
  return report;
}

function readText(file: string): string {
  const bytes = readFileSync(file, { flag: (constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)) as never });
  const text = decodeText(bytes);
  if (text === undefined) throw invalid('is not valid UTF-8');
  return text;
}
