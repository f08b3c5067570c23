import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { loadConfig } from '../../kernel/config.ts';
import { installables } from '../hosts/index.ts';
import { oursOf } from '../hosts/our-program.ts';
import { editorOf } from './formats/editor-of.ts';
import { formattedJson, jsoncText, tomlText, yamlText } from './formats/generated.suite.ts';
import { installed, uninstalled } from './formats/undo.suite.ts';
import { Installs } from './install-record.ts';
import { type EditedFile, type HostFile, type InstallPlace, SCOPES } from './installable.ts';
import { Installer } from './installer.ts';

const HOSTS = installables({
  ...oursOf(loadConfig({})),
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  node: '/usr/bin/node',
});

const TEXTS = { jsonc: fc.oneof(jsoncText, formattedJson), toml: tomlText, yaml: yamlText };

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function placeIn(root: string, scope: InstallPlace['scope']): InstallPlace {
  return {
    scope,
    home: join(root, 'home'),
    project: join(root, 'project'),
    environment: {},
    window: true,
    http: false,
  };
}

/** Undefined where a host has nothing in such a place. */
async function filesOf(host: (typeof HOSTS)[number], place: InstallPlace): Promise<readonly HostFile[]> {
  try {
    return await host.files(place);
  } catch {
    return [];
  }
}

const isEdited = (file: HostFile): file is EditedFile => file.kind === 'edited';

describe.each(HOSTS.map((host) => [host.name, host] as const))('%s', (_, host) => {
  it('gets its entries into any file, and they leave it as it was', async () => {
    verifies('HOST-01');
    const places = SCOPES.map((scope) => placeIn('/nowhere', scope));
    const files = (await Promise.all(places.map((place) => filesOf(host, place)))).flat();
    expect(files.length).toBeGreaterThan(0);
    for (const { format, entries } of files.filter(isEdited)) {
      const editor = await editorOf(format);
      fc.assert(
        fc.property(TEXTS[format], (text) => {
          const { text: changed, done } = installed(editor, text, entries);
          expect(uninstalled(editor, changed, done, text)).toBe(text);
        }),
        { numRuns: 6 },
      );
    }
  });
});

function treeOf(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const item of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name);
    found[relative(root, path)] = item.isDirectory() ? '/' : readFileSync(path, 'utf8');
  }
  return found;
}

describe('all hosts at once', () => {
  it.each(SCOPES)('come and go, in the %s scope, and no file has changed', async (scope) => {
    verifies('HOST-01');
    const choice = fc.record({
      jsonc: fc.option(TEXTS.jsonc),
      toml: fc.option(TEXTS.toml),
      yaml: fc.option(TEXTS.yaml),
    });
    await fc.assert(
      fc.asyncProperty(
        choice,
        fc.shuffledSubarray(HOSTS, { minLength: HOSTS.length }),
        async (texts, order) => {
          const root = mkdtempSync(join(tmpdir(), 'infold-hosts-'));
          roots.push(root);
          const world = join(root, 'world');
          const data = join(root, 'data');
          for (const folder of [join(world, 'home'), join(world, 'project'), data])
            mkdirSync(folder, { recursive: true });
          const place = placeIn(world, scope);
          for (const host of HOSTS) {
            for (const file of (await filesOf(host, place)).filter(isEdited)) {
              const text = texts[file.format];
              if (text === null || existsSync(file.path)) continue;
              mkdirSync(dirname(file.path), { recursive: true });
              writeFileSync(file.path, text);
            }
          }
          const before = treeOf(world);
          const installing = new Installer(Installs.read(data));
          for (const host of HOSTS) await installing.install(host, place, false);
          installing.commit();
          expect(treeOf(world)).not.toEqual(before);
          for (const host of order) {
            const leaving = new Installer(Installs.read(data));
            await leaving.uninstall(host, place, false);
            leaving.commit();
          }
          expect(treeOf(world)).toEqual(before);
        },
      ),
      { numRuns: 2 },
    );
  });
});
