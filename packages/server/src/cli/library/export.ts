import { resolve } from 'node:path';
import { exportLibrary } from '../../library/actions/folders.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { inLibrary } from './library-project.ts';
import { listed, partly, skippedText } from './report-lines.ts';

export function libraryExport(run: Run, flags: ProjectFlag, folder: string): Promise<number> {
  return act(run, exportLibrary, inLibrary(run.output, flags, { folder: resolve(folder) }), {
    progress: 'exporting',
    show: (report) =>
      [
        `${report.written} files of "${report.project}" written to ${resolve(folder)}, ${report.unchanged} were already up to date.`,
        report.untold.length > 0
          ? `Neither the path nor the front matter says what kind these are: ${report.untold.join(', ')}`
          : '',
        listed(
          'These came from files of other tools:',
          report.origins.map(({ path, origin }) => `${path} (${origin})`),
        ),
        skippedText(report.skipped),
      ]
        .filter((text) => text !== '')
        .join('\n'),
    exitCode: partly,
  });
}
