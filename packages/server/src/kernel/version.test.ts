import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from './version.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const manifests = ['.', ...readdirSync(`${root}/packages`).map((name) => `packages/${name}`)].flatMap(
  (folder) => {
    try {
      const content = readFileSync(`${root}/${folder}/package.json`, 'utf8');
      return [
        { folder, ...(JSON.parse(content) as { version: string; dependencies?: Record<string, string> }) },
      ];
    } catch {
      return [];
    }
  },
);

test('the program states the version of every package', () => {
  expect(manifests.length).toBeGreaterThanOrEqual(3);
  for (const { folder, version } of manifests) expect(`${folder} ${version}`).toBe(`${folder} ${VERSION}`);
});

test('packages ask for each other at this version', () => {
  const inner = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies).filter(([name]) => name.startsWith('@infold/')),
  );
  expect(inner.length).toBeGreaterThan(0);
  for (const [name, range] of inner) expect(`${name} ${range}`).toBe(`${name} ^${VERSION}`);
});
