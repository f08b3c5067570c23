import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { verifies } from './requirements.ts';

/**
 * The import arrows of the architecture. Layers import downwards only, doors meet through events and queries, and
 * packages know only what they may.
 */
const LAYERS: Record<string, number> = {
  kernel: 0,
  journal: 1,
  trust: 2,
  call: 3,
  fold: 4,
  library: 4,
  memory: 4,
  transient: 4,
  gateway: 4,
  window: 4,
  system: 4,
  hooks: 5,
  mcp: 6,
  http: 6,
  cli: 7,
};
const DOORS = ['fold', 'library', 'memory', 'transient', 'gateway', 'window', 'system'];
/** What another door may import: the files of these names, or what is in folders of these names. */
const PUBLIC_ROOMS = ['events', 'queries'];
/** What packages may import besides what is in their own folder. Those that run in a browser know no Node. */
const ALLOWED: Record<string, RegExp> = {
  protocol: /^zod(\/|$)/,
  client: /^@infold\/protocol(\/[\w-]+)?$|^(?!node:|@infold\/)/,
  console: /^@infold\/(protocol|client)(\/[\w-]+)?$|^@infold\/demo\/script$|^(?!node:|@infold\/)/,
  demo: /^@infold\/client(\/[\w-]+)?$|^(?!@infold\/|infold$)/,
  // Others use it alone, and so it knows nothing of ours.
  scrub: /^re2js$|^node:/,
  opencode: /^@infold\/client\/host$|^node:/,
  pi: /^@infold\/client\/host$|^node:/,
};

/** Who may know the defaults of the limits. Everyone else asks the configuration, or the limit could not be set. */
const KNOWS_LIMITS =
  /^protocol\/|^server\/src\/(kernel\/config|trust\/limits\/rate|gateway\/pod\/throttle)\.ts$/;

type Sources = Record<string, string>;

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g;

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

function importsOf(source: string): string[] {
  return [...withoutComments(source).matchAll(IMPORT)].map((match) => match[2]!);
}

function readersOfDefaults(sources: Sources): string[] {
  return Object.keys(sources).filter(
    (path) => !KNOWS_LIMITS.test(path) && /\bLIMITS\b/.test(withoutComments(sources[path]!)),
  );
}

/** Every import that goes where it must not, as a sentence. Paths are like `server/src/fold/tools.ts`. */
function violations(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    importsOf(source).flatMap((target) => {
      const reason = problem(path, target);
      return reason ? [`${path} imports ${target}: ${reason}`] : [];
    }),
  );
}

function problem(path: string, target: string): string | undefined {
  const packageName = path.split('/')[0]!;
  const relative = target.startsWith('.');
  if (relative) {
    const resolved = normalize(join(dirname(path), target));
    if (!resolved.startsWith(`${packageName}/src/`)) return 'a package is entered by its name, not by a path';
    if (path.startsWith('demo/src/script/') && !resolved.startsWith('demo/src/script/')) {
      return "the console runs the demo's script without the rest of it";
    }
    return packageName === 'server' ? serverProblem(path, resolved) : undefined;
  }
  if (packageName === 'server') {
    if (/^@modelcontextprotocol\/client(\/|$)/.test(target)) return 'the server is no client; the demo is';
    if (!target.startsWith('@infold/') || /^@infold\/(protocol|scrub)(\/|$)/.test(target)) return undefined;
    // What leaves a window is decided alike by the server and by what runs beside a model.
    if (target === '@infold/client/window') return undefined;
    // The demo is loaded when somebody asks for it.
    if (target === '@infold/demo' && path.startsWith('server/src/cli/demo/')) return undefined;
    return "the server depends on protocol, scrub and the window's rules, and its demo command on the demo";
  }
  // What stands in a host's own process reads and writes files there; no browser imports it.
  if (path.startsWith('client/src/host/') && target.startsWith('node:')) return undefined;
  if (path.startsWith('demo/src/script/') && !/^@infold\/client(\/|$)/.test(target)) {
    return "the console runs the demo's script in a browser";
  }
  const allowed = ALLOWED[packageName];
  return allowed && !allowed.test(target) ? `${packageName} may not depend on it` : undefined;
}

function serverProblem(path: string, resolved: string): string | undefined {
  const [, , from = '', ...fromRest] = path.split('/');
  const [, , to = '', ...toRest] = resolved.split('/');
  // The entry of the package stands above everything.
  if (fromRest.length === 0) return undefined;
  const [low, high] = [LAYERS[to], LAYERS[from]];
  if (high === undefined) return `${from} has no place in the architecture`;
  if (low === undefined) return `${to} has no place in the architecture`;
  if (low > high) return `${from} stands below ${to}`;
  if (from === to || !DOORS.includes(from) || !DOORS.includes(to)) return undefined;
  const room = toRest[0]!.replace(/\.ts$/, '');
  return PUBLIC_ROOMS.includes(room)
    ? undefined
    : `${to} shows other doors only ${PUBLIC_ROOMS.join(' and ')}`;
}

/** Every rule that is not about single imports, as sentences. */
type Rule = (sources: Sources) => string[];

/** What a source still breaks, and why. The list only gets shorter: an exception that nothing needs fails the test. */
interface Exception {
  where: RegExp;
  why: string;
}

const SQL = /\b(?:database|db)\.(?:all|get|run|exec|iterate)\b/;
/** The rooms that read and write tables. */
const SQL_ROOMS =
  /\/(projections?|queries)(\/|\.ts$)|^server\/src\/(journal\/|kernel\/sqlite\.ts|transient\/records\/)/;
const SQL_EXCEPTIONS: Exception[] = [
  { where: /^server\/src\/memory\/retrieval\//, why: 'the queries of a search, each with its way to rank' },
  { where: /^server\/src\/memory\/meaning\/vectors\.ts$/, why: 'a cache: the vectors of passages' },
  { where: /^server\/src\/memory\/pack\/items\.ts$/, why: 'reads what a search found, in one statement' },
  { where: /^server\/src\/gateway\/nodes\/lease\.ts$/, why: 'a cache: which process gives out positions' },
  { where: /^server\/src\/gateway\/history\/forget\.ts$/, why: 'finds the entries to erase' },
  { where: /^server\/src\/window\/originals\/archive\.ts$/, why: 'a cache: the originals of what left' },
  { where: /^server\/src\/trust\/identity\/token-use\.ts$/, why: 'a cache: when tokens were last used' },
  { where: /^server\/src\/trust\/clients\/last-seen\.ts$/, why: 'a cache: when hosts were last connected' },
  { where: /^server\/src\/trust\/sessions\/host-processes\.ts$/, why: 'a cache: which processes are hosts' },
  { where: /^server\/src\/trust\/signing-keys\.ts$/, why: 'tells which checkpoints a key signed' },
  { where: /^server\/src\/cli\/doctor\/doctor\.ts$/, why: 'asks for the version of SQLite' },
];

const sqlOutsideItsRooms: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, source]) =>
    SQL.test(withoutComments(source)) && !SQL_ROOMS.test(path) ? [`${path} reads or writes tables`] : [],
  );

/** Whose a table is, by the beginning of its name. */
const TABLES: Record<string, string> = {
  journal: 'journal',
  identity: 'trust',
  session: 'trust',
  fold: 'fold',
  library: 'library',
  memory: 'memory',
  analysis: 'transient',
  gateway: 'gateway',
  window: 'window',
};
const TABLE = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+([a-z]+)(?:_\w+)?\b/g;

const tablesOfOthers: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, source]) => {
    const folder = path.split('/')[2]!;
    const owners = [...withoutComments(source).matchAll(TABLE)].map(([, prefix]) => TABLES[prefix!]);
    return [...new Set(owners)]
      .filter((owner) => path.startsWith('server/') && owner !== undefined && owner !== folder)
      .map((owner) => `${path} touches tables of ${owner}`);
  });
const TABLE_EXCEPTIONS: Exception[] = [
  { where: /^server\/src\/trust\/forget\.ts$/, why: 'finds the entries to erase' },
  { where: /^server\/src\/trust\/signing-keys\.ts$/, why: 'tells which checkpoints a key signed' },
];

/** Who writes an event, by the beginning of its type. */
const EVENTS: Record<string, readonly string[]> = {
  branch: ['fold'],
  operation: ['fold'],
  attest: ['library'],
  draft: ['library'],
  library: ['library'],
  hub: ['library'],
  webhook: ['library'],
  memory: ['memory'],
  pack: ['memory'],
  finding: ['transient'],
  envelope: ['gateway'],
  context: ['gateway'],
  history: ['gateway'],
  window: ['window'],
  session: ['trust'],
  token: ['trust'],
  project: ['trust'],
  access: ['trust'],
};
const EVENT = /\btype: '([a-z]+)\.[a-z_]+'/g;

const eventsOfOthers: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, source]) => {
    const folder = path.split('/')[2]!;
    return [...withoutComments(source).matchAll(EVENT)]
      .filter(([, prefix]) => path.startsWith('server/') && EVENTS[prefix!]?.includes(folder) === false)
      .map(([text]) => `${path} writes ${text.slice(6)}`);
  });
const EVENT_EXCEPTIONS: Exception[] = [
  { where: /^server\/src\/journal\/upcast\.ts$/, why: 'reads what earlier versions wrote' },
];

const COMMANDS = /^server\/src\/\w+\/(\w+\/)?commands(\/|\.ts$)/;

const skinsWithCommands: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, source]) =>
    /^server\/src\/(mcp|http|cli)\//.test(path)
      ? importsOf(source)
          .filter((target) => target.startsWith('.'))
          .map((target) => normalize(join(dirname(path), target)))
          .filter((target) => COMMANDS.test(target) && !target.startsWith('server/src/cli/'))
          .map((target) => `${path} imports the command ${target}`)
      : [],
  );
const SKIN_EXCEPTIONS: Exception[] = [];

/** Commands decide: they get a state and answer events, so that a decision can be tested and repeated. */
const EFFECTS: Record<string, RegExp> = {
  'is given a database': /\bkernel\/sqlite\.ts['"]/,
  'waits for something': /\b(?:async|await|Promise)\b/,
  'reads the clock': /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/,
  'makes ids of its own': /\b(?:randomUUID|randomId|randomBytes)\b|\bMath\.random\b/,
};

const commandsWithEffects: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, source]) =>
    COMMANDS.test(path) && !path.startsWith('server/src/cli/')
      ? Object.keys(EFFECTS)
          .filter((effect) => EFFECTS[effect]!.test(withoutComments(source)))
          .map((effect) => `${path} ${effect}`)
      : [],
  );
const EFFECT_EXCEPTIONS: Exception[] = [
  {
    where: /^server\/src\/trust\/identity\/commands\.ts$/,
    why: 'looks names up, and makes the secret of a token',
  },
];

/** Imports of types count: who reads one file of a ring has to read them all. */
const importCycles: Rule = (sources) => {
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (path: string, way: string[]) => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      cycles.push([...way.slice(way.indexOf(path)), path].join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const target of importsOf(sources[path]!)) {
      const resolved = normalize(join(dirname(path), target));
      if (target.startsWith('.') && Object.hasOwn(sources, resolved)) visit(resolved, [...way, path]);
    }
    state.set(path, 'done');
  };
  for (const path of Object.keys(sources)) visit(path, []);
  return cycles;
};

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

const sharedTypeNames: Rule = (sources) => {
  const places = new Map<string, string[]>();
  for (const [path, source] of Object.entries(sources)) {
    for (const [, name] of withoutComments(source).matchAll(EXPORTED_TYPE)) {
      const key = `${path.split('/')[0]} ${name}`;
      places.set(key, [...(places.get(key) ?? []), path]);
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([key, paths]) => `${key} is a type of ${paths.join(' and ')}`);
};
const MOST_FILES = 20;

const crowdedFolders: Rule = (sources) => {
  const counts = new Map<string, number>();
  for (const path of Object.keys(sources)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder} holds ${count} source files`);
};

/** Relative paths in code that nothing compiles: `'../support/agent.mjs'`, and built files by their sources. */
const PATH = /(['"])(\.\.?\/[^'"\s$]*\.(?:mjs|js|ts))\1/g;

function missingFiles(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    [...withoutComments(source).matchAll(PATH)]
      .map(([, , target]) => normalize(join(dirname(path), target!)))
      .map((target) => target.replace(/^(packages\/[\w-]+)\/dist\/(?!bundle\/)(.*)\.js$/, '$1/src/$2.ts'))
      .filter((target) => !target.includes('/dist/') && !existsSync(join(root, target)))
      .map((target) => `${path} names ${target}, which does not exist`),
  );
}

const RULES: Record<string, { rule: Rule; exceptions: readonly Exception[] }> = {
  'hold SQL in projections, queries, the journal, record sources and caches alone': {
    rule: sqlOutsideItsRooms,
    exceptions: SQL_EXCEPTIONS,
  },
  'touch their own tables': { rule: tablesOfOthers, exceptions: TABLE_EXCEPTIONS },
  'write their own events': { rule: eventsOfOthers, exceptions: EVENT_EXCEPTIONS },
  'let commands decide without effects': { rule: commandsWithEffects, exceptions: EFFECT_EXCEPTIONS },
  'let no skin import a command': { rule: skinsWithCommands, exceptions: SKIN_EXCEPTIONS },
};

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'packages');

/** By their paths from `base`; a folder that is not there has none. */
function sourcesIn(base: string, folder: string): Sources {
  const found: Sources = {};
  if (!existsSync(join(base, folder))) return found;
  for (const item of readdirSync(join(base, folder), { withFileTypes: true })) {
    const path = `${folder}/${item.name}`;
    if (item.isDirectory()) Object.assign(found, sourcesIn(base, path));
    else if (/\.(tsx?|mjs)$/.test(item.name) && !/\.(test|suite|property)\./.test(item.name)) {
      found[path] = readFileSync(join(base, path), 'utf8');
    }
  }
  return found;
}

const sources: Sources = Object.assign(
  {},
  ...readdirSync(packages).map((name) => sourcesIn(packages, `${name}/src`)),
);
/** What is around the packages. */
const outside: Sources = Object.assign(
  {},
  ...['bench', 'scripts', 'test'].map((folder) => sourcesIn(root, folder)),
);

describe('the sources', () => {
  test('import only where the architecture has an arrow', () => {
    expect(Object.keys(sources).length).toBeGreaterThan(30);
    expect(violations(sources)).toEqual([]);
  });

  test.each(Object.entries(RULES))('%s', (_what, { rule, exceptions }) => {
    const found = rule(sources);
    expect(
      found.filter((sentence) => !exceptions.some(({ where }) => where.test(sentence.split(' ')[0]!))),
    ).toEqual([]);
    const needed = exceptions.filter(({ where }) =>
      found.some((sentence) => where.test(sentence.split(' ')[0]!)),
    );
    expect(needed).toEqual(exceptions);
  });

  test('have no import cycles, types included', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('give each exported type of a package a name of its own', () => {
    expect(sharedTypeNames(sources)).toEqual([]);
  });

  test(`stand at most ${MOST_FILES} in a folder, and so do benchmarks, scripts and tests`, () => {
    expect(crowdedFolders({ ...sources, ...outside })).toEqual([]);
  });

  test('are where benchmarks and scripts expect them', () => {
    const uncompiled = Object.entries(outside).filter(([path]) => path.endsWith('.mjs'));
    expect(missingFiles(Object.fromEntries(uncompiled))).toEqual([]);
  });

  test('read limits from the configuration', () => {
    verifies('KERN-18');
    expect(readersOfDefaults(sources)).toEqual([]);
  });

  test('protocol depends on zod alone', () => {
    const manifest = JSON.parse(readFileSync(join(packages, 'protocol/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
  });

  test('the server needs no other package of ours than protocol, client and scrub', () => {
    const manifest = JSON.parse(readFileSync(join(packages, 'server/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@infold/'))).toEqual([
      '@infold/client',
      '@infold/protocol',
      '@infold/scrub',
    ]);
  });
});

describe('this test sees', () => {
  const only = (path: string, source: string) => violations({ [path]: source });

  test.each([
    [
      'a layer that imports a higher one',
      'server/src/kernel/ids.ts',
      `import { a } from '../journal/journal.ts';`,
    ],
    [
      'trust that imports a door',
      'server/src/trust/identity/caller.ts',
      `export { a } from '../../fold/events.ts';`,
    ],
    [
      'a door that imports mcp',
      'server/src/fold/tools.ts',
      `import type { Tool } from '../mcp/registry.ts';`,
    ],
    ['mcp that imports cli', 'server/src/mcp/call.ts', `const a = await import('../cli/services.ts');`],
    ['a door in the commands of another', 'server/src/memory/commands.ts', `import '../fold/commands.ts';`],
    ['a door in the tools of another', 'server/src/memory/tools.ts', `import a from "../fold/tools.ts";`],
    [
      'a door in the projection folder of another',
      'server/src/memory/a/b.ts',
      `import '../../fold/projection/tables.ts';`,
    ],
    ['a folder that has no place', 'server/src/kernel/ids.ts', `import '../helpers/strings.ts';`],
    ['a file in a folder that has no place', 'server/src/helpers/strings.ts', `import '../kernel/ids.ts';`],
    ['protocol that imports a library', 'protocol/src/ids.ts', `import { Hono } from 'hono';`],
    ['protocol that imports Node', 'protocol/src/ids.ts', `import { join } from 'node:path';`],
    ['protocol that imports the server', 'protocol/src/ids.ts', `import '../../server/src/kernel/ids.ts';`],
    ['client that imports Node', 'client/src/index.ts', `import { readFile } from 'node:fs/promises';`],
    ['client that imports the server', 'client/src/index.ts', `import '@infold/server';`],
    ['client that enters protocol by a path', 'client/src/index.ts', `import '../../protocol/src/ids.ts';`],
    ['server that imports the client', 'server/src/kernel/ids.ts', `import { a } from '@infold/client';`],
    ['a command that imports the client', 'server/src/cli/serve.ts', `import { a } from '@infold/client';`],
    ['a demo command that imports the client', 'server/src/cli/demo/demo.ts', `import '@infold/client';`],
    ['a command that imports the demo', 'server/src/cli/main.ts', `await import('@infold/demo');`],
    ['server that is a client', 'server/src/cli/main.ts', `import '@modelcontextprotocol/client';`],
    ['a demo that imports the server', 'demo/src/index.ts', `import { main } from 'infold';`],
    ['a demo that imports the protocol', 'demo/src/index.ts', `import '@infold/protocol';`],
    ['a script that imports Node', 'demo/src/script/job.ts', `import 'node:fs';`],
    ['a script that imports the rest of the demo', 'demo/src/script/job.ts', `import '../connect.ts';`],
    ['console that imports the whole demo', 'console/src/a.ts', `import '@infold/demo';`],
    [
      'an import over several lines',
      'server/src/kernel/ids.ts',
      `import {\n  a,\n  type B,\n} from '../cli/main.ts';`,
    ],
  ])('%s', (_what, path, source) => {
    expect(only(path, source)).toHaveLength(1);
  });

  test.each<[string, Rule, Sources]>([
    [
      'a cycle',
      importCycles,
      {
        'server/src/fold/a.ts': `import { b } from './b.ts';`,
        'server/src/fold/b.ts': `export { c } from './c.ts';`,
        'server/src/fold/c.ts': `import { type A, a } from './a.ts';`,
      },
    ],
    [
      'a cycle of types',
      importCycles,
      {
        'server/src/fold/a.ts': `import { type B } from './b.ts';`,
        'server/src/fold/b.ts': `import type { A } from './a.ts';`,
      },
    ],
    [
      'a name of two types',
      sharedTypeNames,
      {
        'server/src/fold/a.ts': 'export interface Place {}',
        'server/src/memory/b.ts': 'export type Place = 1;',
        'client/src/c.ts': 'export class Place {}',
      },
    ],
    [
      'a crowded folder',
      crowdedFolders,
      Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`server/src/fold/${index}.ts`, ''])),
    ],
    ['SQL in a tool', sqlOutsideItsRooms, { 'server/src/fold/tools.ts': `database.all<Row>('SELECT 1');` }],
    [
      'a table of another door',
      tablesOfOthers,
      { 'server/src/memory/queries.ts': 'database.get(`SELECT * FROM fold_branch`)' },
    ],
    [
      'an event of another door',
      eventsOfOthers,
      { 'server/src/memory/commands.ts': `return { type: 'branch.folded', data };` },
    ],
    [
      'a command that reads for itself',
      commandsWithEffects,
      { 'server/src/library/commands/draft.ts': `import type { Database } from '../../kernel/sqlite.ts';` },
    ],
    [
      'a command that waits',
      commandsWithEffects,
      { 'server/src/fold/commands.ts': 'export async function fold() {}' },
    ],
    [
      'a route that imports a command',
      skinsWithCommands,
      { 'server/src/http/routes/fold.ts': `import { fold } from '../../fold/commands.ts';` },
    ],
  ])('%s', (_what, rule, broken) => {
    expect(rule(broken)).toHaveLength(1);
  });

  test('a benchmark that names a file which moved', () => {
    const source = `import '../packages/server/dist/kernel/nowhere.js'; import './harness.mjs';`;
    expect(missingFiles({ 'bench/one.bench.mjs': source })).toHaveLength(1);
  });

  test('a default of a limit that is read where the configuration should be', () => {
    const source = `import { LIMITS } from '@infold/protocol';`;
    expect(readersOfDefaults({ 'server/src/fold/tools.ts': source })).toHaveLength(1);
    expect(
      readersOfDefaults({ 'server/src/kernel/config.ts': source, 'server/src/a.ts': '// LIMITS' }),
    ).toEqual([]);
  });

  test.each([
    ['server/src/cli/main.ts', `import '../fold/tools.ts'; import '../kernel/ids.ts';`],
    ['server/src/memory/projection.ts', `import type { A } from '../fold/events.ts';`],
    ['server/src/memory/tools.ts', `import { a } from '../fold/queries/branches.ts';`],
    ['server/src/fold/tools.ts', `import { b } from './commands.ts'; import '../call/action.ts';`],
    ['server/src/index.ts', `export * from './cli/main.ts';`],
    ['server/src/cli/demo/demo.ts', `const { a } = await import('@infold/demo');`],
    [
      'demo/src/connect.ts',
      `import '@infold/client/mcp'; import '@modelcontextprotocol/client'; import 'node:fs';`,
    ],
    ['demo/src/script/reclassify.ts', `import { a } from './job.ts'; import { b } from '@infold/client';`],
    ['console/src/a.ts', `import { a } from '@infold/demo/script';`],
    ['server/src/kernel/config.ts', `import { RULES } from '@infold/client/window';`],
    [
      'server/src/http/app.ts',
      `import { Hono } from 'hono'; import '../mcp/endpoint.ts'; import '@infold/protocol';`,
    ],
    ['protocol/src/ids.ts', `import { z } from 'zod'; import './limits.ts';`],
    ['client/src/index.ts', `import { a } from '@infold/protocol';`],
    ['server/src/kernel/ids.ts', `// import { a } from '../cli/main.ts';\n/** from '../cli/main.ts' */`],
  ])('nothing wrong in %s', (path, source) => {
    expect(only(path, source)).toEqual([]);
  });
});
