import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openJournal } from '../../packages/server/src/cli/services/journal.ts';
import { importChanges } from '../../packages/server/src/library/commands/import.ts';
import { publish } from '../../packages/server/src/library/commands/publish.ts';
import { incomingState, workspaceState } from '../../packages/server/src/library/queries/command-state.ts';
import { testConfig } from '../../packages/server/src/testing/fixtures.suite.ts';
import { localOwner } from '../../packages/server/src/trust/identity/caller.ts';
import { organisationOf } from '../../packages/server/src/trust/identity/projects.ts';
import {
  connectStdio,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { PATIENCE, pause, ROUNDS } from './support.ts';

/** So many that the server can be killed while some of them have it and others do not. */
const PROJECTS = 20;

interface Items {
  items: { path: string; hash: string }[];
}

test('what is published for the organisation reaches every project that selects it, once, however often the server is killed', {
  timeout: PATIENCE,
}, async () => {
  verifies('LIB-18', 'KERN-02');
  const data = temporaryFolder();
  const projects = Array.from({ length: PROJECTS }, (_, index) => `/home/team/project-${index}`);
  let server: Server = await startServer({ data });
  const send = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}/api/library/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const get = async <Answer>(path: string) =>
    (await (await fetch(`${server.url}/api/library/${path}`)).json()) as Answer;
  const publishRule = (number: number) => {
    const content = `# Rule\n\n## Do\n\n- ${number}\n`;
    const files = [{ path: `coding/RULE-${number % 3}.md`, content }];
    return send('import', { project: 'organisation', files, publish: true });
  };
  await publishRule(0);
  for (const name of projects) {
    await send('selection', { project: name, paths: ['coding/**'] });
  }
  const itemsOf = async (project: string) =>
    (await get<Items>(`items?project=${encodeURIComponent(project)}`)).items.map(({ path, hash }) => ({
      path,
      hash,
    }));
  const revisionThere = async () => (await get<{ revision: number }>('status?project=organisation')).revision;
  for (let round = 1; round <= ROUNDS; round++) {
    const before = await revisionThere();
    const published = publishRule(round).catch(() => undefined);
    // In every second round right after the organisation's library has it.
    if (round % 2 === 0) await pause((round % 12) * 3);
    else await until(async () => (await revisionThere()) > before, 10_000);
    server.process.kill('SIGKILL');
    await Promise.all([server.ended, published]);
    server = await startServer({ data });
    for (const name of projects) {
      await expect
        .poll(() => itemsOf(name), { timeout: 60_000, interval: 50 })
        .toEqual(await itemsOf('organisation'));
    }
  }
  // No file was published twice with the same content: each change arrived once.
  for (const name of projects) {
    for (const { path } of await itemsOf(name)) {
      const { revisions } = await get<{ revisions: { hash: string; organisation: number }[] }>(
        `items/${encodeURIComponent(path)}/history?project=${encodeURIComponent(name)}`,
      );
      const there = await get<{ revisions: { revision: number; hash: string }[] }>(
        `items/${encodeURIComponent(path)}/history?project=organisation`,
      );
      expect(new Set(revisions.map(({ hash }) => hash)).size).toBe(revisions.length);
      for (const { hash, organisation } of revisions)
        expect(there.revisions).toContainEqual(expect.objectContaining({ revision: organisation, hash }));
    }
  }
  await server.stop();
  expect(await runJson(data, 'verify', '--tables')).toMatchObject({ ok: true });
});

/** Publishes as a process does that ends before it has brought it to the projects. */
async function publishAndEnd(data: string, path: string): Promise<void> {
  const journal = await openJournal(testConfig({ data }));
  const text = `# Rule\n\n## Do\n\n- ${path}\n`;
  await journal.commit({
    stream: 'library.local',
    actor: localOwner.actor,
    decide: (database) => {
      const files = incomingState(database, 'local', [{ path, text }]);
      const target = { workspaceId: 'local', org: 'local', projectId: organisationOf(database, 'local').id };
      return publish(
        workspaceState(database, 'local'),
        { ...target, validators: [] },
        { source: 'import', changes: importChanges(files, randomUUID) },
      );
    },
  });
  await journal.close();
}

test('what a process left undone is done by a server: one that starts, and one that runs', {
  timeout: PATIENCE,
}, async () => {
  verifies('LIB-18');
  const data = temporaryFolder();
  const project = '/home/team/project';
  const selection = () =>
    runJson<{ behind: boolean; files: number }>(data, 'library', 'selection', '--project', project);
  await runJson(data, 'init', '--project', project);
  await runJson(data, 'init', '--project', 'organisation');
  await runJson(data, 'library', 'select', '--path', 'late/**', '--project', project);
  await publishAndEnd(data, 'late/ONE.md');
  expect(await selection()).toMatchObject({ behind: true, files: 0 });
  const server = await startServer({ data });
  await expect.poll(selection, { timeout: 60_000 }).toMatchObject({ behind: false, files: 1 });
  await publishAndEnd(data, 'late/TWO.md');
  await expect.poll(selection, { timeout: 60_000 }).toMatchObject({ behind: false, files: 2 });
  await server.stop();
  const { client } = await connectStdio('2025', data, ['--project', project]);
  await publishAndEnd(data, 'late/THREE.md');
  await expect.poll(selection, { timeout: 60_000 }).toMatchObject({ behind: false, files: 3 });
  await client.close();
});
