import { createReadStream, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { InfoldError } from '../../kernel/errors.ts';
import { markdownFiles, readMarkdown } from '../../memory/ingest/folder.ts';
import { Importer, type ImportReport } from '../../memory/ingest/importer.ts';
import { LineReader } from '../../memory/ingest/lines.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';
import { EXIT } from '../output.ts';
import { progressBar } from '../progress-bar.ts';

export interface ImportFlags {
  project?: string;
  format?: string;
  dryRun?: boolean;
}

type Update = (done: number, total: number) => void;

const SHOWN_BAD = 20;

/** Exit code 3 when some lines could not be taken; the others are in. */
export function memoryImport(run: Run, given: string, flags: ImportFlags): Promise<number> {
  const { output } = run;
  const { project, dryRun = false } = flags;
  const path = resolve(given);
  if (!existsSync(path)) throw new InfoldError('invalid_arguments', `${path} does not exist`);
  const isMarkdown = formatOf(path, flags.format) === 'markdown';
  return actInFolder(run, { makesFolder: true }, async (_call, { journal, scrubber, config }) => {
    const started = performance.now();
    const importer = new Importer({ journal, scrubber, caller: localOwner, project, dryRun });
    const lines = new LineReader(config.limits);
    const bar = progressBar(dryRun ? 'checking' : 'importing');
    const report = await (isMarkdown
      ? importMarkdown(importer, lines, path, bar.update)
      : importLines(importer, lines, path, bar.update)
    ).finally(() => bar.done());
    const seconds = (performance.now() - started) / 1000;
    const what = isMarkdown ? 'file' : 'line';
    output.answer({ ...report, dry_run: dryRun, seconds }, () => describe(report, what, seconds, dryRun));
    if (output.json)
      for (const { line, problem } of report.bad.slice(0, SHOWN_BAD))
        output.note(`${what} ${line}: ${problem}`);
    return report.bad.length > 0 ? EXIT.partly : EXIT.done;
  });
}

function formatOf(path: string, format: string | undefined): 'jsonl' | 'markdown' {
  if (format === undefined) {
    return statSync(path).isDirectory() || /\.(md|markdown|mdx)$/i.test(path) ? 'markdown' : 'jsonl';
  }
  if (format === 'jsonl' || format === 'markdown') return format;
  throw new InfoldError('invalid_arguments', `Unknown format "${format}"; use jsonl or markdown`);
}

async function importLines(
  importer: Importer,
  lines: LineReader,
  path: string,
  update: Update,
): Promise<ImportReport> {
  const total = await countLines(path);
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++;
    update(number, total);
    const bare = number === 1 ? text.replace(/^\uFEFF/, '') : text;
    const parsed = lines.parse(bare);
    if (!parsed) continue;
    if ('line' in parsed) await importer.add(number, parsed.line);
    else importer.refuse(number, parsed.problem);
  }
  return importer.finish();
}

async function importMarkdown(
  importer: Importer,
  lines: LineReader,
  path: string,
  update: Update,
): Promise<ImportReport> {
  const isFolder = statSync(path).isDirectory();
  const files = isFolder ? markdownFiles(path) : [path];
  for (const [index, file] of files.entries()) {
    update(index + 1, files.length);
    const parsed = readMarkdown(lines, isFolder ? path : resolve(path, '..'), file);
    if ('line' in parsed) await importer.add(index + 1, parsed.line, 'markdown');
    else importer.refuse(index + 1, `${file}: ${parsed.problem}`);
  }
  return importer.finish();
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  let last = 10;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
    last = chunk.at(-1) ?? last;
  }
  return last === 10 ? lines : lines + 1;
}

function describe(report: ImportReport, what: string, seconds: number, dryRun: boolean): string {
  const rate = Math.round(report.read / Math.max(0.001, seconds));
  const verb = dryRun ? 'would be imported' : 'imported';
  return [
    `${report.read} ${what}s read in ${seconds.toFixed(1)} s (${rate}/s): ${report.imported} ${verb}, ${report.skipped} already known, ${report.bad.length} bad.`,
    ...(report.secrets > 0 ? [`${report.secrets} secrets were replaced.`] : []),
    ...report.bad.slice(0, SHOWN_BAD).map(({ line, problem }) => `${what} ${line}: ${problem}`),
    ...(report.bad.length > SHOWN_BAD ? [`… and ${report.bad.length - SHOWN_BAD} more`] : []),
  ].join('\n');
}
