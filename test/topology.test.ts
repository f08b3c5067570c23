import { readdirSync, readFileSync } from 'node:fs';
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
  system: 4,
  mcp: 5,
  http: 5,
  cli: 6,
};
const DOORS = ['fold', 'library', 'memory', 'transient', 'gateway', 'system'];
/** What another door may import: the files of these names, or what is in folders of these names. */
const PUBLIC_ROOMS = ['events', 'queries'];
/** What packages may import besides what is in their own folder. Those that run in a browser know no Node. */
const ALLOWED: Record<string, RegExp> = {
  protocol: /^zod(\/|$)/,
  client: /^@infold\/protocol(\/[\w-]+)?$|^(?!node:|@infold\/)/,
  console: /^@infold\/(protocol|client)(\/[\w-]+)?$|^(?!node:|@infold\/)/,
};

/** Who may know the defaults of the limits. Everyone else asks the configuration, or the limit could not be set. */
const KNOWS_LIMITS = /^protocol\/|^server\/src\/(kernel\/config|trust\/rate|gateway\/throttle)\.ts$/;

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
    return packageName === 'server' ? serverProblem(path, resolved) : undefined;
  }
  if (packageName === 'server') {
    if (!target.startsWith('@infold/') || /^@infold\/protocol(\/|$)/.test(target)) return undefined;
    // The demo is an agent, and so has what runs beside a model.
    const agent = path.startsWith('server/src/cli/demo/') && /^@infold\/client(\/|$)/.test(target);
    return agent ? undefined : 'the server depends on protocol alone, its demo on the client too';
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

const packages = fileURLToPath(new URL('../packages', import.meta.url));

function sourcesIn(folder: string): Sources {
  const found: Sources = {};
  for (const item of readdirSync(join(packages, folder), { withFileTypes: true })) {
    const path = `${folder}/${item.name}`;
    if (item.isDirectory()) Object.assign(found, sourcesIn(path));
    else if (/\.tsx?$/.test(item.name) && !/\.(test|suite)\.tsx?$/.test(item.name)) {
      found[path] = readFileSync(join(packages, path), 'utf8');
    }
  }
  return found;
}

const sources = Object.assign(
  {},
  ...readdirSync(packages).flatMap((name) => {
    try {
      return [sourcesIn(`${name}/src`)];
    } catch {
      return [];
    }
  }),
) as Sources;

describe('the sources', () => {
  test('import only where the architecture has an arrow', () => {
    expect(Object.keys(sources).length).toBeGreaterThan(30);
    expect(violations(sources)).toEqual([]);
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

  test('the server does not need another package of ours than protocol, and the client for its demo', () => {
    const manifest = JSON.parse(readFileSync(join(packages, 'server/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@infold/'))).toEqual([
      '@infold/client',
      '@infold/protocol',
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
    ['trust that imports a door', 'server/src/trust/caller.ts', `export { a } from '../fold/events.ts';`],
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
    ['a demo that imports the console', 'server/src/cli/demo/index.ts', `import '@infold/console';`],
    [
      'an import over several lines',
      'server/src/kernel/ids.ts',
      `import {\n  a,\n  type B,\n} from '../cli/main.ts';`,
    ],
  ])('%s', (_what, path, source) => {
    expect(only(path, source)).toHaveLength(1);
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
    ['server/src/cli/demo/index.ts', `import '@infold/client'; import { a } from '@infold/client/mcp';`],
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
