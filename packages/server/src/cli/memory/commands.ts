import type { CommandLine, ProjectFlag } from '../command-line.ts';

const PROJECT = 'id, name or path of the project';
const SEARCHED = `${PROJECT}; "*" for all, which is what is searched without it`;

/** What agents remember: material in and out, search, and packs for a goal. */
export function addMemory(line: CommandLine): void {
  const { program } = line;
  const memory = program.command('memory').description('Import, export and search what agents remember');
  memory
    .command('import <path>')
    .description('Import a JSONL file or a folder of Markdown (exit code 3 if some lines were bad)')
    .option('--project <project>', `${PROJECT}; a new name makes the project`)
    .option('--format <format>', 'jsonl or markdown (default: derived from the path)')
    .option('--dry-run', 'read and check everything, write nothing')
    .action(
      line.action<import('./import.ts').ImportFlags>(async (run, flags, path) =>
        (await import('./import.ts')).memoryImport(run, path!, flags),
      ),
    );
  memory
    .command('export [file]')
    .description('Write items as JSONL, to a file or standard output; "import" reads them back')
    .option('--project <project>', `only of this project (${PROJECT})`)
    .action(
      line.action<ProjectFlag>(async (run, flags, file) =>
        (await import('./export.ts')).memoryExport(run, file, flags),
      ),
    );
  memory
    .command('search <query...>')
    .description('Search memory, with the ranking of packs')
    .option('--project <project>', `only in this project (${SEARCHED})`)
    .option('--domain <domain>', 'only this domain')
    .option('--limit <number>', 'how many', '10')
    .action(
      line.action<ProjectFlag & { domain?: string; limit: string }>(async (run, flags, query) =>
        (await import('./search.ts')).memorySearch(run, words(query), flags),
      ),
    );
  memory
    .command('ask <question...>')
    .description('Print what memory says about a question: the passages themselves, with their sources')
    .option('--project <project>', `only in this project (${SEARCHED})`)
    .option('--domain <domain>', 'only this domain')
    .option('--limit <number>', 'how many', '5')
    .action(
      line.action<ProjectFlag & { domain?: string; limit: string }>(async (run, flags, question) =>
        (await import('./ask.ts')).memoryAsk(run, words(question), flags),
      ),
    );
  memory
    .command('show <id>')
    .description('Show an item with its whole text')
    .option('--project <project>', `of this project (${PROJECT})`)
    .action(
      line.action<ProjectFlag>(async (run, flags, id) =>
        (await import('./show.ts')).memoryShow(run, id!, flags),
      ),
    );
  memory
    .command('related <id>')
    .description('Show the relations of an item')
    .option('--project <project>', `of this project (${PROJECT})`)
    .action(
      line.action<ProjectFlag>(async (run, flags, id) =>
        (await import('./related.ts')).memoryRelated(run, id!, flags),
      ),
    );
  memory
    .command('relate <id> <type> <other>')
    .description(
      'Record that an item supersedes, contradicts, requires, supports, decides or relates_to another',
    )
    .option('--project <project>', `of this project (${PROJECT})`)
    .action(
      line.action<ProjectFlag>(async (run, flags, id, type, other) =>
        (await import('./relate.ts')).memoryRelate(run, id!, type!, other!, flags),
      ),
    );
  memory
    .command('unrelate <id> <type> [other]')
    .description('Take a relation back, or all of one type; what was superseded by it stands again')
    .option('--project <project>', `of this project (${PROJECT})`)
    .option('--withdraw', 'with "supersedes": the item leaves packs, so that everything is as before')
    .action(
      line.action<import('./unrelate.ts').UnrelateFlags>(async (run, flags, id, type, other) =>
        (await import('./unrelate.ts')).memoryUnrelate(run, id!, type!, other, flags),
      ),
    );
  memory
    .command('history <id>')
    .description('Show the versions of an item: what it superseded and what superseded it')
    .option('--project <project>', `of this project (${PROJECT})`)
    .action(
      line.action<ProjectFlag>(async (run, flags, id) =>
        (await import('./history.ts')).memoryHistory(run, id!, flags),
      ),
    );
  memory
    .command('audit')
    .description('List what is contradicted, doubled or stale, and why')
    .option('--project <project>', `only in this project (${PROJECT})`)
    .option('--days <number>', 'after how many days something counts as old (default 60)')
    .option('--fix', 'let one of each set of exact doubles supersede the others')
    .action(
      line.action<import('./audit.ts').AuditFlags>(async (run, flags) =>
        (await import('./audit.ts')).memoryAudit(run, flags),
      ),
    );
  program
    .command('pack <goal...>')
    .description('Compile a context pack for a goal and print its Markdown')
    .option('--intent <intent>', 'build, plan, ideate, research, debug, decide, learn or general')
    .option('--layer <layer>', 'wake, recall or deep_search')
    .option('--project <project>', SEARCHED)
    .option('--domain <domain>', 'only this domain')
    .option('--agent <agent>', 'include the diary of this agent')
    .option('--limit <number>', 'at most this many items (1 to 50)')
    .option(
      '--budget <tokens>',
      'at most this many tokens (default 1500 wake, 4000 recall, 8000 deep_search)',
    )
    .option('--format <format>', 'with --json: full, or compact with bodies only in the Markdown')
    .option('--explain', 'show how each item was ranked, and why the best of the others were left out')
    .action(
      line.action<import('./pack.ts').PackFlags>(async (run, flags, goal) =>
        (await import('./pack.ts')).pack(run, words(goal), flags),
      ),
    );
}

/** Several words on the command line are one goal. */
function words(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : String(value);
}
