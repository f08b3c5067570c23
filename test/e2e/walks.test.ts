import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAGE, pageOf, ROOT, UNSAID } from '../walks/page.mjs';
import { traceWalks } from '../walks/trace.mjs';

test('docs/architecture.md names the files that five calls pass, in their order, and what each does', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const walks = await traceWalks(ROOT);
  expect(
    page,
    'After npm run build: node test/walks/trace.mjs --write, then say in docs/architecture.md what new files do',
  ).toBe(pageOf(page, walks));
  expect(page).not.toContain(`: ${UNSAID}\n`);
});
