import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { type Caller, localOwner, ownerIn } from '../../trust/identity/caller.ts';
import { ensureProject, organisationOf, resolveProject } from '../../trust/identity/projects.ts';
import type { Project } from '../../trust/identity/queries.ts';
import { listLibraryItems, listRevisions } from '../actions/items.ts';
import { importChanges } from '../commands/import.ts';
import type { FileChange } from '../events.ts';
import { startServer } from '../fixture.suite.ts';
import { incomingState } from '../queries/command-state.ts';
import { openDrafts } from '../queries/drafts.ts';
import { allFiles, fileByPath, revisionOf, textByHash } from '../queries/files.ts';
import { readSelection, selectFiles } from './actions.ts';
import { followOrganisation } from './follow.ts';

const rule = (said: string, tag?: string) =>
  `${tag === undefined ? '' : `---\ntags: [${tag}]\n---\n`}# Rule\n\n## Do\n\n- ${said}\n`;

/** A project, and its organisation's library. */
async function startOrganisation(own: Record<string, string> = {}) {
  const server = await startServer(own);
  const { library, services, project } = server;
  const { journal } = services;
  const { database } = journal;
  const organisation = await ensureProject(
    journal,
    localOwner,
    resolveProject(database, localOwner, 'organisation'),
  );
  const publishTo = (where: Project) => (files: Record<string, string>) =>
    library.publishChanges(localOwner, where, 'import', (current) =>
      importChanges(
        incomingState(
          current,
          where.workspace_id,
          Object.entries(files).map(([path, text]) => ({ path, text })),
        ),
        randomUUID,
      ),
    );
  const change = (where: Project, path: string, to: string | null) =>
    library.publishChanges(localOwner, where, 'import', (current) => {
      const { id, kind, hash } = fileByPath(current, where.workspace_id, path)!;
      const base = { file_id: id, kind, hash, group: null, description: null };
      const done: FileChange =
        to === null
          ? { ...base, op: 'delete', path, previous_path: null }
          : { ...base, op: 'rename', path: to, previous_path: path };
      return [done];
    });
  const files = (where: Project = project) =>
    Object.fromEntries(
      allFiles(database, where.workspace_id).map(({ path, hash, organisation: from }) => [
        path,
        `${from === null ? 'own' : 'selected'}: ${textByHash(database, hash)}`,
      ]),
    );
  const select = (wish: object, caller: Caller = localOwner) =>
    library.act(caller, selectFiles, { project: project.id, ...wish });
  return {
    ...{ ...server, journal, database, organisation, change, files, select },
    publishThere: publishTo(organisation),
    publishHere: publishTo(project),
  };
}

describe('a workspace that selects from its organisation’s library', () => {
  test('has what is selected at once, and what is published later', async () => {
    verifies('LIB-18');
    const server = await startOrganisation({ 'a/OWN.md': rule('own') });
    const { publishThere, select, files, organisation, library, project } = server;
    expect(organisation).toMatchObject({ name: 'organisation', workspace_id: localOwner.org });
    await publishThere({ 'a/ONE.md': rule('one'), 'b/TWO.md': rule('two'), 'META_PROMPT.md': '# Ours\n' });
    expect(files()).toEqual({ 'a/OWN.md': `own: ${rule('own')}` });
    const selected = await select({ paths: ['a/**'] });
    expect(selected).toMatchObject({ changed: 1, files: 1, behind: false, organisation: { revision: 1 } });
    expect(files()).toEqual({ 'a/ONE.md': `selected: ${rule('one')}`, 'a/OWN.md': `own: ${rule('own')}` });
    await publishThere({ 'a/ONE.md': rule('one, again'), 'a/NEW.md': rule('new'), 'b/X.md': rule('x') });
    expect(files()).toEqual({
      'a/NEW.md': `selected: ${rule('new')}`,
      'a/ONE.md': `selected: ${rule('one, again')}`,
      'a/OWN.md': `own: ${rule('own')}`,
    });
    const { items } = await library.act(localOwner, listLibraryItems, { project: project.id });
    expect(items.map(({ path, organisation: from }) => [path, from])).toEqual([
      ['a/NEW.md', 2],
      ['a/ONE.md', 2],
      ['a/OWN.md', undefined],
    ]);
    expect(items.at(-1)).not.toHaveProperty('organisation');
    const { revisions } = await library.act(localOwner, listRevisions, {
      project: project.id,
      id: 'a/ONE.md',
    });
    expect(revisions).toMatchObject([
      { op: 'create', source: 'organisation', organisation: 1 },
      { op: 'update', source: 'organisation', organisation: 2 },
    ]);
    await select({ none: true });
    expect(Object.keys(files())).toEqual(['a/OWN.md']);
  });

  test('stays at the revision that it names, and goes with tags', async () => {
    const { publishThere, select, files } = await startOrganisation();
    await publishThere({ 'A.md': rule('a1', 'go'), 'B.md': rule('b1', 'web'), 'C.md': rule('c1') });
    await publishThere({ 'A.md': rule('a2', 'web'), 'B.md': rule('b2', 'go') });
    await select({ tags: ['go'], revision: 1 });
    expect(files()).toEqual({ 'A.md': `selected: ${rule('a1', 'go')}` });
    await select({ tags: ['go'], revision: 2 });
    expect(files()).toEqual({ 'B.md': `selected: ${rule('b2', 'go')}` });
    await publishThere({ 'B.md': rule('b3', 'go') });
    expect(files()).toEqual({ 'B.md': `selected: ${rule('b2', 'go')}` });
    await select({ tags: ['go'] });
    expect(files()).toEqual({ 'B.md': `selected: ${rule('b3', 'go')}` });
  });

  test('has its own files where it has any, and the selected ones again without them', async () => {
    const { publishThere, publishHere, select, files, change, project } = await startOrganisation();
    await publishThere({ 'A.md': rule('theirs'), 'B.md': rule('theirs, too') });
    await select({ paths: ['**'] });
    await publishHere({ 'A.md': rule('ours') });
    expect(files()['A.md']).toBe(`own: ${rule('ours')}`);
    await publishThere({ 'A.md': rule('theirs, newer') });
    expect(files()['A.md']).toBe(`own: ${rule('ours')}`);
    await change(project, 'A.md', 'C.md');
    expect(files()).toEqual({
      'A.md': `selected: ${rule('theirs, newer')}`,
      'B.md': `selected: ${rule('theirs, too')}`,
      'C.md': `own: ${rule('ours')}`,
    });
    await change(project, 'C.md', 'A.md');
    await change(project, 'A.md', null);
    expect(files()['A.md']).toBe(`selected: ${rule('theirs, newer')}`);
  });

  test('does not let a selected file be changed, and says how to have another one', async () => {
    const { agent, publishThere, select, library, project, files } = await startOrganisation();
    await publishThere({ 'A.md': rule('theirs') });
    await select({ paths: ['**'] });
    await agent.setup();
    const id = await agent.idOf('A.md');
    for (const op of [
      { update: { id, body: rule('x') } },
      { delete: { id } },
      { rename: { id, new_path: 'B.md' } },
    ]) {
      const refusal = await agent.draftRefusal('rule', op);
      expect(refusal).toMatchObject({ code: 'forbidden' });
      expect(refusal.error).toContain('organisation');
    }
    await expect(library.restore(localOwner, project, 'A.md', 1)).rejects.toThrow(/organisation's library/);
    await agent.draft('rule', { create: { path: 'A.md', body: rule('ours') } });
    expect((await agent.discover()).map(({ path, hasDraft }) => [path, hasDraft])).toEqual([['A.md', true]]);
    await agent.draft('rule', { submit: { id: 'A.md' } });
    const [draft] = openDrafts(library.database, localOwner, project.workspace_id);
    await library.decide(localOwner, draft!.id, 'approve');
    await library.publish(localOwner, [draft!.id]);
    expect(files()).toEqual({ 'A.md': `own: ${rule('ours')}` });
  });

  test('refuses what cannot be selected', async () => {
    const { publishThere, select, library, organisation, project } = await startOrganisation();
    await publishThere({ 'A.md': rule('a') });
    await expect(select({})).rejects.toThrow(/by paths or by tags/);
    await expect(select({ paths: ['a/{b'] })).rejects.toThrow(/braces/);
    await expect(select({ paths: ['**'], revision: 2 })).rejects.toThrow(/no revision 2; the last one is 1/);
    await expect(select({ none: true, tags: ['a'] })).rejects.toThrow(/cannot be combined/);
    await expect(
      library.act(localOwner, selectFiles, { project: organisation.id, paths: ['**'] }),
    ).rejects.toThrow(/from itself/);
    const member: Caller = {
      ...ownerIn('local', 'bob'),
      scopes: ['read', 'write', 'review'],
      projects: [project.id],
    };
    await expect(select({ paths: ['**'] }, member)).rejects.toThrow(/access denied/i);
    const open = { ...member, projects: [project.id, organisation.id] };
    expect(await select({ paths: ['**'] }, open)).toMatchObject({ files: 1 });
  });

  test('gets what was published when nobody was there to bring it, once', async () => {
    const { publishThere, select, files, journal, library, project, database } = await startOrganisation();
    await select({ paths: ['**'] });
    const organisation = organisationOf(database, 'local');
    // As a process that ends between the two leaves it.
    await journal.commit({
      stream: 'library.local',
      actor: localOwner.actor,
      decide: () => ({
        events: [
          {
            type: 'library.published',
            data: {
              ...{ workspace_id: 'local', org: 'local', project_id: organisation.id, revision: 1 },
              ...{ source: 'import', draft_ids: [], note: null },
              changes: [
                {
                  ...{ op: 'create', file_id: 'p-1', kind: 'rule', path: 'A.md', previous_path: null },
                  ...{ hash: 'sha256:1', group: null, description: null, text: 'A' },
                },
              ],
            },
          },
        ],
        answer: null,
      }),
    });
    expect(await library.act(localOwner, readSelection, { project: project.id })).toMatchObject({
      behind: true,
    });
    await Promise.all([followOrganisation(journal), followOrganisation(journal, 'local')]);
    expect(await followOrganisation(journal)).toBe(0);
    expect(files()).toEqual({ 'A.md': 'selected: A' });
    expect(revisionOf(database, project.workspace_id)).toBe(1);
    await publishThere({ 'B.md': rule('b') });
    expect(revisionOf(database, project.workspace_id)).toBe(2);
  });

  test('is what a simple model says, whatever is published, deleted, moved, overridden and pinned', {
    timeout: 120_000,
  }, async () => {
    verifies('LIB-18');
    const path = fc.constantFrom('a/A.md', 'b/C.md', 'D.md');
    const step = fc.oneof(
      fc.record({
        do: fc.constant('publish' as const),
        there: fc.boolean(),
        path,
        tag: fc.constantFrom('x', 'y'),
      }),
      fc.record({ do: fc.constant('move' as const), there: fc.boolean(), path, to: fc.option(path) }),
      fc.record({
        do: fc.constant('select' as const),
        paths: fc.subarray(['a/**', '*.md', 'b/C.md']),
        tags: fc.subarray(['x', 'y']),
        pin: fc.option(fc.nat(20)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        const { publishThere, publishHere, select, files, change, project, organisation, journal } =
          await startOrganisation();
        type Texts = Record<string, string>;
        const revisions: Texts[] = [{}];
        let own: Texts = {};
        let selection: { paths: string[]; tags: string[]; revision: number | 'latest' } | null = null;
        const expected = (): Texts => {
          if (!selection) return own;
          const { paths, tags, revision } = selection;
          const there = revision === 'latest' ? revisions.at(-1)! : revisions[revision]!;
          const isSelected = ([at, text]: [string, string]) =>
            (paths.length === 0 ||
              paths.some((one) => one === '*.md' || (one === 'a/**' ? at.startsWith('a/') : one === at))) &&
            (tags.length === 0 || tags.some((tag) => text.includes(`[${tag}]`)));
          return { ...Object.fromEntries(Object.entries(there).filter(isSelected)), ...own };
        };
        for (const [index, one] of steps.entries()) {
          const text = rule(`said in step ${index}`, 'tag' in one ? one.tag : 'x');
          if (one.do === 'publish') {
            await (one.there ? publishThere : publishHere)({ [one.path]: text });
            if (one.there) revisions.push({ ...revisions.at(-1)!, [one.path]: text });
            else own = { ...own, [one.path]: text };
          } else if (one.do === 'move') {
            const { [one.path]: moved, ...rest } = one.there ? revisions.at(-1)! : own;
            if (moved === undefined || (one.to !== null && (one.to in rest || one.to === one.path))) continue;
            await change(one.there ? organisation : project, one.path, one.to);
            const after: Texts = one.to === null ? rest : { ...rest, [one.to]: moved };
            if (one.there) revisions.push(after);
            else own = after;
          } else {
            const { paths, tags, pin } = one;
            const isNone = paths.length === 0 && tags.length === 0;
            const latest = revisions.length - 1;
            const revision = pin === null || latest === 0 ? 'latest' : 1 + (pin % latest);
            selection = isNone ? null : { paths, tags, revision };
            await select(selection ?? { none: true });
          }
          const now = files();
          const said = expected();
          expect(Object.keys(now).sort()).toEqual(Object.keys(said).sort());
          for (const [at, said_] of Object.entries(said))
            expect(now[at]).toBe(`${at in own ? 'own' : 'selected'}: ${said_}`);
        }
        expect(await journal.verifyTables()).toMatchObject({ ok: true });
      }),
      { numRuns: runs(60) },
    );
  });
});
