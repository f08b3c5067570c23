import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Packages of ours, and their entries such as `@infold/client/mcp`, are the sources that each entry is built of. */
const alias = ['protocol', 'client', 'scrub', 'demo'].flatMap((name) => {
  const manifest = readFileSync(source(`./packages/${name}/package.json`), 'utf8');
  const entries = (JSON.parse(manifest) as { exports: Record<string, { default: string }> }).exports;
  return Object.entries(entries).map(([entry, { default: built }]) => ({
    find: new RegExp(`^@infold/${name}${entry.slice(1)}$`),
    replacement: source(`./packages/${name}/${built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`),
  }));
});

/**
 * Files of one project share what they import: reading it anew for each would take longer than most of their tests. What they leave
 * behind stays in memory, so that there are several projects: each begins in new processes.
 */
const unit = (name: string, ...include: string[]) => ({
  extends: true as const,
  test: { name, include, isolate: false },
});

/** Unit tests import sources; end-to-end and fault tests start the built program. */
export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine is no reason to fail: waits are generous, and what fails is tried once more, marked "retry" in the report.
    retry: 1,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    setupFiles: [source('./test/support/setup.ts')],
    // Three also on two cores: a test that waits for a server, a clock or a page leaves room for another.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      unit('unit', 'packages/!(scrub|server)/src/**/*.test.ts', 'test/*.test.ts'),
      unit('unit-server-a', 'packages/server/src/[a-i]*/**/*.test.ts', 'packages/server/src/*.test.ts'),
      unit('unit-server-j', 'packages/server/src/[j-l]*/**/*.test.ts'),
      unit('unit-server-m', 'packages/server/src/[m-z]*/**/*.test.ts'),
      // Each file begins with the same examples, which are drawn from one sequence.
      { extends: true, test: { name: 'unit-scrub', include: ['packages/scrub/src/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // They talk to other processes: files share what they import, and put back what they change.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 600_000,
          // After the others: each of these keeps several processes busy, and two at a time are enough for a machine.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
        },
      },
    ],
  },
});
