import { listing, PRICES_FILE, pricesFile, queryPlan, serverLog, testRun } from './outputs.ts';

/** One turn of the agent in the sample: it says something, and calls a tool. */
export type StoryStep = { says?: string } & (
  | {
      /** A tool of the host, whose output is made up. */
      tool: 'Bash' | 'Read' | 'Edit';
      input: Record<string, unknown>;
      output: string;
    }
  | {
      /** A tool of this server, which is really called. */
      calls: string;
      input: Record<string, unknown>;
      /** The page that was fetched last was used up: its handle is named as a source. */
      usesPage?: true;
      /** It is about the branch that was opened last. */
      inBranch?: true;
    }
);

export const QUESTION =
  'Checkout takes eight seconds since Tuesday. Find out why and mend it. Then look through the first pages of our activities: which ones are in the wrong category?';

/** A bug is found in a branch, a wrong turn is abandoned, records are read page by page, and a branch is still open. */
export function story(project: string, model: string): StoryStep[] {
  const branch = (description: string, prompt: string): StoryStep => ({
    calls: 'context_branch',
    input: { description, prompt, project_path: project },
  });
  const fold = (message: string): StoryStep => ({
    calls: 'context_return',
    input: { message, project_path: project },
  });
  const read = (isFixed = false): StoryStep => ({
    tool: 'Read',
    input: { file_path: PRICES_FILE },
    output: pricesFile(isFixed),
  });
  const tests = (isBroken = false): StoryStep => ({
    tool: 'Bash',
    input: { command: 'npm test' },
    output: testRun(isBroken),
  });
  const page = (number: number): StoryStep[] => [
    { calls: 'search_records', input: { model, page: number, per_page: 15 } },
    {
      calls: 'store_analysis_memory',
      input: {
        analysis_id: 'sample-first-pages',
        findings: [{ finding: `Page ${number} was looked through`, category: 'Support' }],
      },
      usesPage: true,
    },
  ];
  return [
    {
      says: 'I look at what there is first.',
      tool: 'Bash',
      input: { command: 'find src -name "*.ts"' },
      output: listing(),
    },
    branch(
      'Find why checkout is slow',
      'Find out what takes eight seconds in POST /checkout/confirm. Change nothing.',
    ),
    tests(),
    { tool: 'Bash', input: { command: 'tail -n 180 logs/server.log' }, output: serverLog() },
    { says: '412 queries for one checkout. I read what asks for prices.', ...read() },
    branch(
      'Look at the queries of one checkout',
      'Explain the queries that one checkout makes for its prices.',
    ),
    { tool: 'Bash', input: { command: 'psql shop -f explain-prices.sql' }, output: queryPlan() },
    fold('Each price is a query of its own and a scan of the whole table: 18 ms each, 412 of them.'),
    read(),
    fold(
      `pricesOf in ${PRICES_FILE} asks for each price by itself; 412 queries of 18 ms make the eight seconds. Ask for all of them at once.`,
    ),
    branch('Try to keep prices in memory', 'See whether keeping prices for a minute is enough.'),
    {
      tool: 'Edit',
      input: {
        file_path: PRICES_FILE,
        old_string: 'const prices = new Map',
        new_string: 'const prices = kept ?? new Map',
      },
      output: `The file ${PRICES_FILE} has been updated.`,
    },
    tests(true),
    {
      says: 'Customers would be told old prices. I give this up.',
      calls: 'context_rollback',
      input: { project_path: project, abandon: true },
      inBranch: true,
    },
    {
      tool: 'Edit',
      input: {
        file_path: PRICES_FILE,
        old_string: 'for (const line of basket.lines)',
        new_string: 'const items = …',
      },
      output: `The file ${PRICES_FILE} has been updated.`,
    },
    read(true),
    tests(),
    { says: 'That is mended. Now the activities.', ...page(1)[0]! },
    page(1)[1]!,
    ...page(2),
    ...page(3),
    branch(
      'Write a test for the number of queries',
      'A checkout makes one query for its prices, whatever is in the basket.',
    ),
    {
      tool: 'Read',
      input: { file_path: 'src/checkout/service.test.ts' },
      output: pricesFile(true).replaceAll('price', 'total'),
    },
  ];
}

/** What is remembered of it, for packs and search. */
export const MEMORIES = [
  {
    title: 'Prices are asked for at once',
    content: `${PRICES_FILE} asks for all prices of a basket in one query. One query for each item took eight seconds with 412 items.`,
    kind: 'decision',
  },
  {
    title: 'No prices in memory',
    content:
      'Keeping prices for a minute was tried and given up: customers were told prices that had changed.',
    kind: 'decision',
  },
  {
    title: 'Where the time of a request goes',
    content:
      'logs/server.log has the milliseconds and the number of queries of every request; more than fifty queries is a fault.',
    kind: 'note',
  },
] as const;
