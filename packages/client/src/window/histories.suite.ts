import fc from 'fast-check';
import type { Host } from './testing/host.suite.ts';
import {
  branch,
  branchId,
  expand,
  giveBack,
  handleOf,
  type Row,
  refused,
  rollBack,
  searchPage,
  store,
} from './testing/our-tools.suite.ts';
import { HOSTS } from './testing/play.suite.ts';
import {
  type Call,
  edit,
  fetched,
  grep,
  list,
  person,
  read,
  type Script,
  type Step,
  shell,
  type Turn,
  think,
  turn,
  write,
} from './testing/script.suite.ts';

export type { Host } from './testing/host.suite.ts';
export { HOSTS, hostNamed, requestsOf, type Sent } from './testing/play.suite.ts';
export type { Script, Step } from './testing/script.suite.ts';

/** Random conversations, with everything in them that hosts are known to do. `requestsOf(script, host)` are their requests. */
export interface History {
  host: Host;
  script: Script;
}

export function histories(
  options: { hosts?: readonly Host[]; episodes?: number } = {},
): fc.Arbitrary<History> {
  const { hosts = HOSTS, episodes = 12 } = options;
  return fc.record({ host: fc.constantFrom(...hosts), script: scripts(episodes) });
}

export function scripts(episodes = 12): fc.Arbitrary<Script> {
  return fc
    .tuple(fc.array(anyEpisode(2), { minLength: 1, maxLength: episodes }), fc.nat({ max: 999 }), fc.boolean())
    .map(([made, seed, keepsLong]) => ({
      name: `history ${seed}`,
      steps: [person(`Look after the importer (${seed}).`), ...flat(made, `${seed}`)],
      prompt: PROMPT,
      keepsLong,
    }));
}

const PROMPT = {
  system: 'You help with the work on a repository. Be brief, and say what you did.',
  tool: 'Does what its name says; paths are absolute.',
};

/** A stretch of work. What it makes is told apart from what others make by its seed. */
type Episode = (seed: string) => Step[];
const flat = (episodes: readonly Episode[], seed: string) =>
  episodes.flatMap((episode, index) => episode(`${seed}.${index}`));

const PATHS = ['src/importer.ts', 'src/parser.ts', 'docs/format.md', 'test/importer.test.ts'];
const OUR_TOOLS_USED = [
  'context_branch',
  'context_return',
  'context_rollback',
  'context_expand',
  'search_records',
  'store_analysis_memory',
] as const;
const find: Step = { do: 'find', tools: OUR_TOOLS_USED };

const path = fc.constantFrom(...PATHS);
const size = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 30 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 400 }) },
);
/** Few of them, so that different calls come to the same content. */
const version = fc.nat({ max: 2 });
const words = fc.constantFrom(
  'What does the importer do with empty cells?',
  'No, leave the tests as they are.',
  'Rename it to `readRows` everywhere.',
  'Grüße — bitte auch “quotes” & 表 prüfen 🙂',
  'Stop. Do the parser first.',
);

const linesOf = (name: string, version: number, count: number) =>
  Array.from(
    { length: count },
    (_, line) =>
      `export const ${name.replaceAll(/\W/g, '_')}_${line} = compute(${version}, ${line * 7}); // row ${line}`,
  ).join('\n');
const logOf = (seed: number, count: number) =>
  Array.from({ length: count }, (_, line) => {
    const isBad = (line * 31 + seed) % 57 === 0;
    const level = isBad ? 'ERROR' : line % 5 === 0 ? 'WARN ' : 'INFO ';
    return `2026-03-02T09:${`${line % 60}`.padStart(2, '0')}:00Z ${level} worker-${line % 4} ${isBad ? `cannot read row ${line}` : `read row ${line}`}`;
  }).join('\n');
const rowsOf = (page: number, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    id: page * 100 + index,
    title: `Activity ${page * 100 + index}`,
    minutes: (index * 13) % 90,
    note: 'Walked through the whole list and wrote down what was missing. ',
  }));

const chat = fc.tuple(words, fc.boolean()).map(
  ([text, thinks]): Episode =>
    (seed) => [
      person(`${text} [${seed}]`),
      thinks ? { ...think('They want it short.'), text: `Answer ${seed}.` } : turn(`Answer ${seed}.`),
    ],
);

const fileCall: fc.Arbitrary<Call> = fc
  .record({
    path,
    version,
    size,
    from: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    kind: fc.nat({ max: 5 }),
  })
  .map(({ path, version, size, from, kind }) => {
    const content = linesOf(path, version, size);
    if (kind === 0) return write(path, content);
    if (kind === 1) return edit(path, 'compute(0', `compute(${version}`);
    if (kind === 2) {
      const again = read(path, content);
      return { ...again, outcome: { ...again.outcome, unchanged: true } };
    }
    return from === undefined ? read(path, content) : read(path, content, Math.min(from, size), 40);
  });
const otherCall: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(version, size).map(([seed, count]) => shell('tail -n 400 worker.log', logOf(seed, count))),
  version.map((seed) => grep('compute', 'src', linesOf('src/importer.ts', seed, 12))),
  version.map(() => list('src', PATHS.join('\n'))),
  version.map((seed) => fetched('https://example.org/rows', JSON.stringify(rowsOf(seed, 8)))),
  version.map(
    (): Call => ({
      tool: 'picture',
      input: { path: 'chart.png' },
      outcome: { text: 'chart.png', picture: true },
    }),
  ),
  fc.constant(shell('git status', '')),
  version.map(
    (): Call => ({
      tool: 'read',
      input: { path: 'src/missing.ts' },
      outcome: { text: 'File does not exist.', isError: true },
    }),
  ),
);
const anyCall = fc.oneof({ weight: 3, arbitrary: fileCall }, { weight: 2, arbitrary: otherCall });

/** What the host adds to a turn. */
const decorated = fc
  .record({
    thinks: fc.boolean(),
    says: fc.boolean(),
    reminds: fc.nat({ max: 5 }),
    hooks: fc.nat({ max: 5 }),
  })
  .map(
    ({ thinks, says, reminds, hooks }) =>
      (seed: string, calls: readonly Call[]): Turn => ({
        do: 'turn',
        ...(thinks && { thinking: `I should look at ${calls.length} things. [${seed}]` }),
        ...(says && { text: `Looking at it. [${seed}]` }),
        calls,
        ...(reminds === 0 && { reminder: `The task list is empty. [${seed}]` }),
        ...(hooks === 0 && { hook: `A hook ran. [${seed}]` }),
      }),
  );

const work = fc.tuple(decorated, fc.array(anyCall, { minLength: 1, maxLength: 4 })).map(
  ([made, calls]): Episode =>
    (seed) => [made(seed, calls)],
);

const failThenPass = fc.tuple(size, fc.boolean(), path).map(
  ([count, passes, file]): Episode =>
    () => [
      turn('Running the tests.', shell('npm test', `${logOf(1, count)}\nTests 1 failed | 40 passed`, 1)),
      turn('', edit(file, 'compute(0', 'compute(1')),
      turn(
        'Again.',
        shell('npm test', passes ? 'Tests 41 passed' : `${logOf(2, count)}\nTests 1 failed`, passes ? 0 : 1),
      ),
    ],
);

const repeated = fc.tuple(otherCall, decorated).map(
  ([call, made]): Episode =>
    (seed) => [made(`${seed}a`, [call]), made(`${seed}b`, [call])],
);

const records = fc
  .record({
    pages: fc.integer({ min: 1, max: 4 }),
    rows: fc.integer({ min: 1, max: 15 }),
    outcome: fc.constantFrom('all', 'all', 'all', 'some', 'none', 'refused', 'left'),
    together: fc.boolean(),
    expands: fc.boolean(),
    made: decorated,
  })
  .map(
    ({ pages, rows, outcome, together, expands, made }): Episode =>
      (seed) => {
        const handles = Array.from({ length: pages }, (_, page) => handleOf(`${seed}.${page}`));
        const fetches = handles.map((handle, page) =>
          searchPage(handle, 'activity', page + 1, pages, rowsOf(page, rows)),
        );
        const sources = outcome === 'some' ? handles.slice(0, 1) : outcome === 'none' ? [] : handles;
        const stored = store(seed, [`${pages} pages, nothing odd. [${seed}]`], sources);
        return [
          find,
          ...(together ? [made(seed, fetches)] : fetches.map((call) => made(seed, [call]))),
          ...(outcome === 'left'
            ? []
            : [
                turn(
                  '',
                  outcome === 'refused' ? refused(stored, `sources not found: ${sources[0]}`) : stored,
                ),
              ]),
          ...(expands ? [turn('', expand(handles[0]!, rowsOf(0, 2)))] : []),
        ];
      },
  );

const HOUR = 3_600_000;
const turns: fc.Arbitrary<Episode> = fc.oneof(
  fc
    .constantFrom<Step[]>(
      [{ do: 'idle', milliseconds: 7 * 60_000 }],
      [{ do: 'idle', milliseconds: 2 * HOUR }],
      [{ do: 'resume' }],
      [{ do: 'model', model: 1 }],
      [{ do: 'tools' }],
      [{ do: 'notice', text: 'The mode changed: plan first.' }],
      [{ do: 'compact', summary: 'The importer was looked at. Nothing is decided.' }],
      [{ do: 'rewind', words: 1 }],
      [{ do: 'rewind', words: 2 }],
      [{ do: 'fork', words: 1 }],
    )
    .map(
      (steps): Episode =>
        () =>
          steps,
    ),
);

/** Work inside a branch, and how it ends. */
const branched = (depth: number): fc.Arbitrary<Episode> =>
  fc
    .record({
      inside: fc.array(anyEpisode(depth - 1), { maxLength: 4 }),
      end: fc.constantFrom(
        'folded',
        'folded',
        'folded',
        'named',
        'refused',
        'open',
        'rolled back',
        'abandoned',
        'reopened',
      ),
      beside: fc.nat({ max: 6 }),
      made: decorated,
    })
    .map(
      ({ inside, end, beside, made }): Episode =>
        (seed) => {
          const id = branchId(seed);
          const begin = branch(id, `Subtask ${seed}`, 'Find out, and come back with the facts.');
          const back = giveBack(id, `Found 3 facts about src/importer.ts. [${seed}]`, {
            named: end === 'named',
          });
          const other = list('src', PATHS.join('\n'));
          return [
            find,
            made(seed, beside === 0 ? [begin, other] : [begin]),
            ...flat(inside, seed),
            ...endOf(end, id, back, beside === 1 ? [other] : []),
          ];
        },
    );

function endOf(end: string, id: string, back: Call, beside: readonly Call[]): Step[] {
  switch (end) {
    case 'refused':
      return [turn('', refused(back, `Branch not found: ${id}`))];
    case 'open':
      return [];
    case 'rolled back':
      return [turn('That leads nowhere.', rollBack('main', [id]))];
    case 'abandoned':
      return [turn('That leads nowhere.', rollBack(id, [id], { abandon: true }))];
    case 'reopened':
      return [turn('', back), turn('Once more.', rollBack(id, [])), turn('', other()), turn('', back)];
    default:
      return [{ ...turn('', back, ...beside), thinking: 'That is enough.' }];
  }
}
const other = () => grep('readRows', 'src', 'src/importer.ts:12: readRows(file)');

const delegated = (depth: number): fc.Arbitrary<Episode> =>
  fc.array(anyEpisode(depth - 1), { minLength: 1, maxLength: 3 }).map(
    (inside): Episode =>
      (seed) => [
        {
          do: 'delegate',
          prompt: `Look for dead code. [${seed}]`,
          steps: [
            ...flat(inside, seed).filter(({ do: what }) => what !== 'fork' && what !== 'compact'),
            turn(`None. [${seed}]`),
          ],
        },
      ],
  );

function anyEpisode(depth: number): fc.Arbitrary<Episode> {
  const simple: fc.WeightedArbitrary<Episode>[] = [
    { weight: 2, arbitrary: chat },
    { weight: 5, arbitrary: work },
    { weight: 2, arbitrary: failThenPass },
    { weight: 2, arbitrary: repeated },
    { weight: 3, arbitrary: records },
    { weight: 2, arbitrary: turns },
  ];
  if (depth === 0) return fc.oneof(...simple);
  return fc.oneof(
    ...simple,
    { weight: 4, arbitrary: branched(depth) },
    { weight: 1, arbitrary: delegated(depth) },
  );
}
