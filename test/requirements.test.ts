import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DELIVERED, REQUIREMENTS, type Requirement } from './requirements.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function testSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name);
    if (item.isDirectory()) return ['node_modules', 'dist'].includes(item.name) ? [] : testSources(path);
    return /\.(test|suite)\.tsx?$/.test(item.name) ? [path] : [];
  });
}

const cited = new Set(
  [join(root, 'packages'), join(root, 'test')].flatMap(testSources).flatMap((path) => {
    const calls = readFileSync(path, 'utf8').matchAll(/verifies\(([^)]*)\)/g);
    return [...calls].flatMap((call) => [...call[1]!.matchAll(/'([A-Z]+-\d\d)'/g)].map((match) => match[1]!));
  }),
);

describe('requirements', () => {
  test('each one of a delivered door is cited by a test', () => {
    const missing = Object.entries<Requirement>(REQUIREMENTS)
      .filter(([id, requirement]) => DELIVERED.includes(requirement.door) && !cited.has(id))
      .map(([id]) => id);
    expect(missing).toEqual([]);
  });

  test('each cited one exists', () => {
    expect([...cited].filter((id) => !(id in REQUIREMENTS))).toEqual([]);
  });
});
