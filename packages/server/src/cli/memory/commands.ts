import type { CommandLine, ProjectFlag } from '../command-line.ts';

const PROJECT = 'id, name or path of the project';

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
    .option('--project <project>', `only in this project (${PROJECT})`)
    .option('--domain <domain>', 'only this domain')
    .option('--limit <number>', 'how many', '10')
    .action(
      line.action<ProjectFlag & { domain?: string; limit: string }>(async (run, flags, query) =>
        (await import('./search.ts')).memorySearch(run, words(query), flags),
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
  program
    .command('pack <goal...>')
    .description('Compile a context pack for a goal and print its Markdown')
    .option('--intent <intent>', 'build, plan, ideate, research, debug, decide, learn or general')
    .option('--layer <layer>', 'wake, recall or deep_search')
    .option('--project <project>', PROJECT)
    .option('--domain <domain>', 'only this domain')
    .option('--agent <agent>', 'include the diary of this agent')
    .option('--limit <number>', 'at most this many items (1 to 50)')
    .option(
      '--budget <tokens>',
      'at most this many tokens (default 1500 wake, 4000 recall, 8000 deep_search)',
    )
    .option('--format <format>', 'with --json: full, or compact with bodies only in the Markdown')
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
