import { expect, test } from 'vitest';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { startServer } from '../fixture.suite.ts';
import { searchLibraries } from './search-libraries.ts';

test('files are found in every library that is open to the caller, those with more of the words first', async () => {
  const { library, project, services, publish, clock } = await startServer();
  const { journal } = services;
  const other = await ensureProject(
    journal,
    localOwner,
    resolveProject(journal.database, localOwner, '/other'),
  );
  const op = { create: { path: 'testing/STYLE_OF_TESTS.md', body: '# How tests look' } };
  const { draft_id } = await library.stage(localOwner, other, { resource: 'rule', op });
  await library.submit(localOwner, draft_id);
  await library.decide(localOwner, draft_id, 'approve');
  await library.publish(localOwner, [draft_id]);
  clock.advance(1000);
  await publish({ 'context/LATER.md': '# Later' });
  const found = async (q: string | undefined, caller = localOwner, limit?: number) =>
    (await library.act(caller, searchLibraries, { q, limit })).items.map(({ path, project: name }) => [
      path,
      name,
    ]);
  expect(await found('style tests')).toEqual([
    ['testing/STYLE_OF_TESTS.md', other.name],
    ['coding/STYLE.md', project.name],
  ]);
  expect(await found('styl')).toHaveLength(2);
  expect(await found(undefined, localOwner, 1)).toEqual([['context/LATER.md', project.name]]);
  const narrow = callerNamed('eve', { projects: [other.id] });
  expect(await found('style', narrow)).toEqual([['testing/STYLE_OF_TESTS.md', other.name]]);
  expect(await found('', narrow)).toEqual([['testing/STYLE_OF_TESTS.md', other.name]]);
});
