import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { HOST_NAMES, type HostName } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { HOSTS } from '../packages/server/src/cli/hosts/index.ts';
import type { Ours } from '../packages/server/src/cli/hosts/our-program.ts';
import { eventsOf } from '../packages/server/src/cli/hosts/parts/hook-events.ts';
import { editorOf } from '../packages/server/src/cli/install/formats/editor-of.ts';
import type {
  HostFile,
  InstallPlace,
  SettingsEntry,
} from '../packages/server/src/cli/install/installable.ts';
import { verifies } from './requirements.ts';

const folder = fileURLToPath(new URL('../examples/hosts', import.meta.url));
const HOME = '/home/you';
const PROJECT = '/home/you/shop';

/** Infold as the pages have it. */
const OURS: Ours = {
  node: '/usr/local/bin/node',
  root: '/opt/infold',
  isCached: false,
  data: '/home/you/.infold',
  dataFlags: [],
  configFlags: [],
  url: 'http://127.0.0.1:9090',
  needsToken: false,
  isWindows: false,
  found: {},
};

const PLACES: readonly Pick<InstallPlace, 'scope' | 'window' | 'http'>[] = (
  ['user', 'project'] as const
).flatMap((scope) => [
  { scope, window: false, http: false },
  { scope, window: true, http: false },
  { scope, window: false, http: true },
]);

/** Every way in which a file of a host is written. */
function waysOf(name: HostName, path: string): HostFile[] {
  return PLACES.flatMap((place) => {
    try {
      return HOSTS[name].files({ ...place, home: HOME, project: PROJECT, environment: {} }, OURS);
    } catch {
      return [];
    }
  }).filter((file) => file.path === path);
}

interface Shown {
  path: string;
  language: string;
  text: string;
}

/** A file's name, and what stands in it. */
const BLOCK = /^`([^`\n]+)`[^\n]*:\n\n```(\w+)\n([\s\S]*?)\n```$/gm;

function shownIn(page: string): Shown[] {
  return [...page.matchAll(BLOCK)].map(([, path, language, text]) => ({
    path: path!.startsWith('~/') ? join(HOME, path!.slice(2)) : join(PROJECT, path!),
    language: language!,
    text: text!,
  }));
}

const FORMATS = { json: 'jsonc', toml: 'toml', yaml: 'yaml' } as const;

async function documentOf({ language, text }: Shown): Promise<unknown> {
  const format = FORMATS[language as keyof typeof FORMATS];
  return (await editorOf(format)).read(text);
}

/** By path, what is written; elements with the list that they are in. */
function written(entries: readonly SettingsEntry[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(({ at, path, value }) => [path.join('.'), at === 'key' ? value : [value]]),
  );
}

/** What a page shows, by the paths of what is written; what stands at none of them, by its own. */
function byPaths(document: unknown, paths: readonly string[], at = ''): Record<string, unknown> {
  if (paths.includes(at) || typeof document !== 'object' || document === null || Array.isArray(document))
    return { [at]: document };
  return Object.assign(
    {},
    ...Object.entries(document).map(([key, value]) =>
      byPaths(value, paths, at === '' ? key : `${at}.${key}`),
    ),
  ) as Record<string, unknown>;
}

describe('the page of', () => {
  test.each(HOST_NAMES)('%s shows what is written', async (name) => {
    verifies('HOST-01');
    const page = readFileSync(join(folder, `${name}.md`), 'utf8');
    expect(page).toContain(`npx infold install ${name}\n`);
    expect(page).toContain(`npx infold uninstall ${name}\n`);
    const shown = shownIn(page);
    expect(shown.length).toBeGreaterThan(0);
    // Whatever else is shown is a command.
    expect([...page.matchAll(/^```\w+$/gm)]).toHaveLength(shown.length);
    for (const one of shown) {
      const ways = waysOf(name, one.path);
      expect(ways.length, one.path).toBeGreaterThan(0);
      if (one.language === 'js') {
        expect(ways.map((file) => file.kind === 'whole' && file.text)).toContain(`${one.text}\n`);
        continue;
      }
      const document = await documentOf(one);
      const fits = ways.map((file) => {
        const values = file.kind === 'edited' ? written(file.entries) : {};
        const told = byPaths(document, Object.keys(values));
        return { told, values: Object.fromEntries(Object.keys(told).map((path) => [path, values[path]])) };
      });
      const isWritten = fits.some(({ told, values }) => isDeepStrictEqual(told, values));
      expect(isWritten, `${one.path}\n${one.text}`).toBe(true);
    }
  });

  test.each(HOST_NAMES.filter((name) => /^Events: /m.test(readFileSync(join(folder, `${name}.md`), 'utf8'))))(
    '%s names the events of its hooks',
    (name) => {
      const [, line] = /^Events: (.*)\.$/m.exec(readFileSync(join(folder, `${name}.md`), 'utf8'))!;
      expect([...line!.matchAll(/`(\w+)`/g)].map((match) => match[1])).toEqual(
        eventsOf(name).map((event) => event.name),
      );
    },
  );
});

test('every page is in the list, and there are no others', () => {
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  expect([...list.matchAll(/\]\(([\w-]+)\.md\)/g)].map((match) => match[1])).toEqual([...HOST_NAMES]);
  expect(readdirSync(folder).sort()).toEqual(['README.md', ...HOST_NAMES.map((name) => `${name}.md`)].sort());
});
