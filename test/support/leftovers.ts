const leftovers = new Set<() => unknown>();

/**
 * Has something cleaned up after the last test of this file. A module that many test files share is evaluated once for all
 * of them, so that an `afterAll` of its own would run after the first file alone; `test/support/setup.ts` runs these.
 */
export function afterThisFile(clean: () => unknown): void {
  leftovers.add(clean);
}

/** The newest first: what was started last may use what was started before. */
export async function cleanUp(): Promise<void> {
  for (const clean of [...leftovers].reverse()) {
    leftovers.delete(clean);
    await clean();
  }
}
