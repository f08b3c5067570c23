import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { errorOf, temporaryFolder } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { libraryStream } from '../../trust/streams.ts';
import { contentHash } from '../files/hashes.ts';
import { startServer, type TestServer } from '../fixture.suite.ts';
import { draftById, liveDrafts } from '../queries/drafts.ts';
import { allFiles, fileByPath, historyOf, textByHash } from '../queries/files.ts';
import { fileView, revisionView } from '../views.ts';
import { exportFolder, writeInside } from './export-folder.ts';
import { importFolder } from './import-folder.ts';
import { scanFolder } from './scan-folder.ts';

function folderOf(files: Record<string, string | Buffer>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const take = ({ services, project }: TestServer, folder: string, publish = true) =>
  importFolder({ ...services, caller: localOwner }, project, folder, { publish });
const openDrafts = ({ library, project }: TestServer) =>
  liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
const idsByPath = ({ library, project }: TestServer) =>
  Object.fromEntries(allFiles(library.database, project.workspace_id).map(({ path, id }) => [path, id]));

const AGENT_FILES = {
  'AGENTS.md': '# Agents\r\n\r\n## Build\r\n\r\n- npm ci\r\n',
  'CLAUDE.md': '\uFEFF# Claude\n',
  'packages/web/AGENTS.md': '# Web\n\n\n',
  '.cursor/rules/ts.mdc': '---\ndescription:\nglobs: *.ts\nalwaysApply: false\n---\nUse types\n',
  '.github/copilot-instructions.md': 'no line end',
  '.github/instructions/py.instructions.md': '---\napplyTo: "**/*.py"\n---\n# Python\n',
  'META_PROMPT.md': '# Ours\n',
  'workflow/SHIP.md': '# Ship\n\n## Steps\n\n1. Ship\n',
  'context/Größe 規則.md': '# Sizes\n',
};
/** Where the library keeps those of them that have dotted names. */
const PLAIN: Record<string, string> = {
  '.cursor/rules/ts.mdc': 'cursor/rules/ts.mdc',
  '.github/copilot-instructions.md': 'github/copilot-instructions.md',
  '.github/instructions/py.instructions.md': 'github/instructions/py.instructions.md',
};
const plain = (path: string) => PLAIN[path] ?? path;

describe('import', () => {
  test('understands the files of agents, and export gives their bytes back under plain paths', async () => {
    verifies('LIB-16');
    const server = await startServer({});
    const report = await take(
      server,
      folderOf({
        ...AGENT_FILES,
        'README.txt': 'no',
        '.git/x.md': 'no',
        'node_modules/a/b.md': 'no',
        '.github/workflows/x.md': 'no',
        '.cursor/x.md': 'no',
      }),
    );
    expect(report).toMatchObject({ read: 9, created: 9, updated: 0, unchanged: 0, skipped: [], secrets: 0 });
    const { agent } = server;
    await agent.setup();
    const kinds = Object.fromEntries(
      (await agent.discover()).map(({ path, kind, description }) => [path, [kind, description]]),
    );
    expect(kinds).toEqual({
      'AGENTS.md': ['rule', undefined],
      'CLAUDE.md': ['rule', undefined],
      'packages/web/AGENTS.md': ['rule', undefined],
      'cursor/rules/ts.mdc': ['rule', 'Applies to *.ts'],
      'github/copilot-instructions.md': ['rule', undefined],
      'github/instructions/py.instructions.md': ['rule', 'Applies to **/*.py'],
      'workflow/SHIP.md': ['workflow', undefined],
      'context/Größe 規則.md': ['context', undefined],
    });
    expect((await agent.setup()).mpf!.content).toBe('# Ours\n');
    const target = join(temporaryFolder(), 'new');
    expect(exportFolder(server.library.database, server.project.workspace_id, target)).toEqual({
      written: 9,
      unchanged: 0,
      skipped: [],
      origins: Object.entries(PLAIN).map(([origin, path]) => ({ path, origin })),
      untold: [],
    });
    for (const [path, content] of Object.entries(AGENT_FILES)) {
      expect(readFileSync(join(target, plain(path))).equals(Buffer.from(content)), path).toBe(true);
    }
    const exported = scanFolder(target).files.map(({ path }) => path);
    expect(exported.sort()).toEqual(Object.keys(AGENT_FILES).map(plain).sort());
    expect(
      readdirSync(target, { recursive: true }).filter((path) => /(?:^|\/)\./.test(String(path))),
    ).toEqual([]);
    const file = fileByPath(server.library.database, server.project.workspace_id, 'cursor/rules/ts.mdc')!;
    expect(fileView(file)).toMatchObject({ origin: '.cursor/rules/ts.mdc' });
    expect(
      historyOf(server.library.database, server.project.workspace_id, file.id).map(revisionView),
    ).toMatchObject([{ origin: '.cursor/rules/ts.mdc' }]);
    expect(exportFolder(server.library.database, server.project.workspace_id, target)).toMatchObject({
      written: 0,
      unchanged: 9,
    });
  });

  test('again keeps ids: of unchanged, changed, moved and returning files', async () => {
    verifies('LIB-16');
    const server = await startServer({});
    const folder = folderOf({ 'a/A.md': '# A\n', 'a/B.md': '# B\n', 'a/C.md': '# C\n' });
    await take(server, folder);
    const before = idsByPath(server);
    expect(await take(server, folder)).toMatchObject({ created: 0, updated: 0, unchanged: 3, revision: 1 });
    const changed = folderOf({
      'a/A.md': '# A, better\n',
      'b/B.md': '# B\n',
      'a/C.md': '# C\n',
      'a/D.md': '# D\n',
    });
    expect(await take(server, changed)).toMatchObject({
      created: 1,
      updated: 1,
      renamed: 1,
      unchanged: 1,
      revision: 2,
    });
    const after = idsByPath(server);
    expect(after['a/A.md']).toBe(before['a/A.md']);
    expect(after['b/B.md']).toBe(before['a/B.md']);
    expect(after['a/C.md']).toBe(before['a/C.md']);
    expect(after).not.toHaveProperty('a/B.md');
    await server.library.publishChanges(localOwner, server.project, 'import', () => [
      {
        op: 'delete',
        file_id: before['a/C.md']!,
        kind: 'rule',
        path: 'a/C.md',
        previous_path: null,
        hash: 'sha256:x',
        group: null,
        description: null,
      },
    ]);
    await take(server, changed);
    expect(idsByPath(server)['a/C.md']).toBe(before['a/C.md']);
  });

  test('without --publish makes drafts', async () => {
    verifies('LIB-16', 'LIB-12');
    const server = await startServer({ 'a/A.md': '# A\n', 'a/B.md': '# B\n' });
    const folder = folderOf({
      'a/A.md': '# A2\n',
      'c/B.md': '# B\n',
      'a/N.md': '# N\n',
      'context/X.md': '# X\n',
      'META_PROMPT.md': '# M\n',
    });
    expect(await take(server, folder, false)).toMatchObject({
      created: 3,
      updated: 1,
      renamed: 1,
      published: false,
      revision: 1,
    });
    const before = server.services.journal.head().seq;
    expect(await take(server, folder, false)).toMatchObject({
      created: 0,
      updated: 0,
      renamed: 0,
      unchanged: 5,
      skipped: [],
    });
    expect(server.services.journal.head().seq).toBe(before);
    writeFileSync(join(folder, 'a/N.md'), '# N, better\n');
    expect(await take(server, folder, false)).toMatchObject({ created: 1, unchanged: 4, skipped: [] });
    const drafts = liveDrafts(server.library.database, {
      workspaceId: server.project.workspace_id,
      principal: 'owner',
    });
    expect(
      Object.fromEntries(
        drafts.map(({ path, new_path, op, resource }) => [new_path ?? path, [op, resource]]),
      ),
    ).toEqual({
      'META_PROMPT.md': ['create', 'mpf'],
      'a/A.md': ['update', 'rule'],
      'c/B.md': ['rename', 'rule'],
      'a/N.md': ['create', 'rule'],
      'context/X.md': ['create', 'context'],
    });
    expect(Object.keys(idsByPath(server))).toEqual(['a/A.md', 'a/B.md']);
  });

  test('leaves out links, bad bytes, large files and odd names, and takes the rest', async () => {
    verifies('LIB-15', 'LIB-16');
    const server = await startServer({});
    const outside = folderOf({ 'secret.md': '# outside\n' });
    const folder = folderOf({
      'good.md': '# good\n',
      'bad.md': Buffer.from([0x23, 0xff, 0xfe]),
      'zero.md': 'a\0b',
      'large.md': 'x'.repeat(1024 * 1024 + 1),
      'back\\slash.md': 'x',
      'empty.md': '',
    });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
    symlinkSync(outside, join(folder, 'linked'));
    symlinkSync('nowhere', join(folder, 'dangling.md'));
    const report = await take(server, folder);
    expect(Object.keys(idsByPath(server))).toEqual(['empty.md', 'good.md']);
    expect(Object.fromEntries(report.skipped.map(({ path, reason }) => [path, reason]))).toEqual({
      'bad.md': 'is not valid UTF-8',
      'zero.md': expect.stringContaining('NUL'),
      'large.md': expect.stringContaining('at most 1048576'),
      'back\\slash.md': 'unsafe path',
      'link.md': 'is a symbolic link',
      'dangling.md': 'is a symbolic link',
    });
  });

  test('publishes what was staged before, and closes those drafts', async () => {
    verifies('LIB-12', 'LIB-16');
    const server = await startServer({ 'a/A.md': '# A\n', 'a/OLD.md': '# Moved\n' });
    const folder = folderOf({ 'a/A.md': '# A2\n', 'a/NEW.md': '# Moved\n', 'a/B.md': '# B\n' });
    await take(server, folder, false);
    const staged = openDrafts(server);
    expect(staged).toHaveLength(3);
    expect(await take(server, folder)).toMatchObject({
      created: 1,
      updated: 1,
      renamed: 1,
      revision: 2,
      drafts_left: [],
    });
    expect(openDrafts(server)).toEqual([]);
    for (const { id } of staged) {
      expect(draftById(server.library.database, id)).toMatchObject({ status: 'published' });
    }
    expect(await take(server, folder)).toMatchObject({ unchanged: 3, revision: 2 });
  });

  test('leaves drafts that say something else open, and reports them', async () => {
    verifies('LIB-12');
    const server = await startServer({});
    const folder = folderOf({ 'a/A.md': '# A\n', 'a/B.md': '# B\n' });
    await take(server, folder, false);
    writeFileSync(join(folder, 'a/A.md'), '# A, better\n');
    const report = await take(server, folder);
    const [left] = openDrafts(server);
    expect(openDrafts(server)).toHaveLength(1);
    expect(report).toMatchObject({
      created: 2,
      drafts_left: [{ id: left!.id, draft_path: 'a/A.md', status: 'draft', drafted_by: 'owner' }],
    });
    expect(
      historyOf(server.library.database, server.project.workspace_id, idsByPath(server)['a/B.md']!),
    ).toEqual([expect.objectContaining({ source: 'import', author: 'owner', reviewer: null })]);
  });

  test('closes drafts of what is published already', async () => {
    verifies('LIB-12');
    const server = await startServer({});
    const folder = folderOf({ 'a/A.md': '# A\n' });
    await take(server, folder, false);
    await server.publish({ 'a/A.md': '# A\n' });
    expect(openDrafts(server)).toHaveLength(1);
    expect(await take(server, folder)).toMatchObject({ unchanged: 1, revision: 1, drafts_left: [] });
    expect(openDrafts(server)).toEqual([]);
  });

  test('leaves the draft of an agent alone, and says so', async () => {
    const server = await startServer({});
    await server.agent.setup();
    await server.agent.draft('rule', { create: { path: 'a/N.md', body: 'an agent’s' } });
    expect(await take(server, folderOf({ 'a/N.md': 'mine' }), false)).toMatchObject({
      created: 0,
      skipped: [{ path: 'a/N.md', reason: 'draft already exists' }],
    });
    expect((await server.agent.load('a/N.md'))[0]).toMatchObject({
      content: expect.stringContaining('an agent’s'),
    });
  });

  test('moves what an earlier version kept at a dotted path, with its id', async () => {
    verifies('LIB-16');
    const server = await startServer({});
    await publishAsBefore(server, { '.cursor/rules/a.mdc': '# A\n', '.cursor/rules/b.mdc': '# B\n' });
    const before = idsByPath(server);
    const folder = folderOf({ '.cursor/rules/a.mdc': '# A\n', '.cursor/rules/b.mdc': '# B, better\n' });
    expect(await take(server, folder)).toMatchObject({ renamed: 2, created: 0, skipped: [] });
    expect(idsByPath(server)).toEqual({
      'cursor/rules/a.mdc': before['.cursor/rules/a.mdc'],
      'cursor/rules/b.mdc': before['.cursor/rules/b.mdc'],
    });
    expect(await take(server, folder)).toMatchObject({ unchanged: 2, skipped: [] });
  });

  test('reports two files that would have one path', async () => {
    verifies('LIB-16');
    const server = await startServer({ 'windsurfrules.md': '# Ours\n' });
    const folder = folderOf({
      '.cursorrules': 'dotted',
      'cursorrules.md': 'plain',
      '.windsurfrules': 'theirs',
    });
    const report = await take(server, folder);
    expect(report.created).toBe(1);
    expect(report.skipped).toEqual([
      { path: '.cursorrules', reason: 'would be imported as cursorrules.md, and so would cursorrules.md' },
      {
        path: '.windsurfrules',
        reason:
          'would be imported as windsurfrules.md, a path that the library already has from another file',
      },
    ]);
    expect(Object.keys(idsByPath(server))).toEqual(['cursorrules.md', 'windsurfrules.md']);
  });

  test('drafts remember where they came from until they are published', async () => {
    verifies('LIB-16');
    const server = await startServer({});
    const { library, project } = server;
    await take(server, folderOf({ '.cursorrules': '# C\n' }), false);
    const [draft] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
    expect(draft).toMatchObject({ path: 'cursorrules.md', origin: '.cursorrules' });
    await library.submit(localOwner, draft!.id);
    await library.decide(localOwner, draft!.id, 'approve');
    await library.publish(localOwner, [draft!.id]);
    expect(fileByPath(library.database, project.workspace_id, 'cursorrules.md')).toMatchObject({
      origin: '.cursorrules',
    });
  });

  test('says which files nothing can be referred to in', async () => {
    const server = await startServer({});
    const folder = folderOf({
      'rule.md': '# R\n\n## A\n\n- x\n',
      'flat.md': '# F\n\njust text\n',
      'hollow.md': '# H\n\n## Empty\n',
      'fenced.md': '```\n## A\n\ntext\n```\n',
      'context/C.md': '# C\n',
      'META_PROMPT.md': '# M\n',
    });
    expect((await take(server, folder)).without_constraints).toEqual(['fenced.md', 'flat.md', 'hollow.md']);
    // One that was refused is not there to be referred to.
    const strict = await startServer({}, {}, [({ path }) => (path === 'flat.md' ? ['is too flat'] : [])]);
    const report = await take(strict, folder);
    expect(report.skipped).toEqual([{ path: 'flat.md', reason: 'is too flat' }]);
    expect(report.without_constraints).toEqual(['fenced.md', 'hollow.md']);
  });

  test('replaces secrets and says how many, and where', async () => {
    const server = await startServer({});
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    expect(await take(server, folderOf({ 'a.md': `# a\n\ntoken ${secret}\n` }))).toMatchObject({
      secrets: 1,
      redacted: [{ path: 'a.md', secrets: 1 }],
    });
    const [file] = allFiles(server.library.database, server.project.workspace_id);
    expect(textByHash(server.library.database, file!.hash)).toContain('[REDACTED:');
  });

  test('goes on past a file that another door refuses', async () => {
    const server = await startServer({}, {}, [({ path }) => (path === 'b.md' ? ['no'] : [])]);
    expect(await take(server, folderOf({ 'a.md': 'a', 'b.md': 'b' }))).toMatchObject({
      created: 1,
      unchanged: 0,
      skipped: [{ path: 'b.md', reason: 'no' }],
    });
  });

  test('of what is not a folder is an error', async () => {
    const server = await startServer({});
    const folder = folderOf({ 'a.md': 'a' });
    expect((await errorOf(() => take(server, join(folder, 'a.md')))).code).toBe('invalid_arguments');
    expect((await errorOf(() => take(server, join(folder, 'none')))).code).toBe('invalid_arguments');
  });

  test('keeps the kind that a file was drafted with', async () => {
    const server = await startServer({});
    const { agent, library, project } = server;
    await agent.setup();
    await agent.draft('context', { create: { path: 'spec/X.md', body: '# X\n' } });
    const [draft] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
    await library.submit(localOwner, draft!.id);
    await library.decide(localOwner, draft!.id, 'approve');
    await library.publish(localOwner, [draft!.id]);
    const target = temporaryFolder();
    expect(exportFolder(library.database, project.workspace_id, target).untold).toEqual(['spec/X.md']);
    writeFileSync(join(target, 'spec/X.md'), '# X2\n');
    await take(server, target);
    expect(await agent.discover()).toMatchObject([{ path: 'spec/X.md', kind: 'context' }]);
  });
});

describe('a path that an earlier version took', () => {
  test('can be read, renamed and deleted, and is never exported or published again', async () => {
    verifies('LIB-15', 'LIB-16');
    const server = await startServer({});
    const { agent, library, project } = server;
    const hook = '[core]\n\tfsmonitor = run-this\n';
    await publishAsBefore(server, { '.git/config': hook, 'a/.env.md': '# E\n', 'ok.md': '# OK\n' });
    await agent.setup();
    const id = await agent.idOf('.git/config');
    expect((await agent.load(id))[0]!.content).toContain('fsmonitor');
    const repository = folderOf({ '.git/config': 'theirs' });
    expect(exportFolder(library.database, project.workspace_id, repository)).toMatchObject({
      written: 1,
      skipped: [
        { path: '.git/config', reason: 'unsafe path' },
        { path: 'a/.env.md', reason: 'unsafe path' },
      ],
    });
    expect(readFileSync(join(repository, '.git/config'), 'utf8')).toBe('theirs');
    expect(readdirSync(repository).sort()).toEqual(['.git', 'ok.md']);
    expect((await agent.draftRefusal('rule', { update: { id, body: 'x' } })).error).toBe('unsafe path');
    expect((await agent.draftRefusal('rule', { create: { path: '.git/hooks/x', body: 'x' } })).error).toBe(
      'unsafe path',
    );
    await agent.draft('rule', { rename: { id, new_path: 'git/config.md' } });
  });

  test('is refused when a draft of it comes to be submitted or published', async () => {
    verifies('LIB-15');
    const server = await startServer({});
    const { agent, library, project } = server;
    await agent.setup();
    await agent.draft('rule', { create: { path: 'git/config.md', body: 'x' } });
    const [draft] = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
    const asBefore = () =>
      library.database.run('UPDATE library_draft SET path = ? WHERE id = ?', '.git/config', draft!.id);
    asBefore();
    expect((await errorOf(() => library.submit(localOwner, draft!.id))).code).toBe('unsafe_path');
    library.database.run('UPDATE library_draft SET path = ? WHERE id = ?', 'git/config.md', draft!.id);
    await library.submit(localOwner, draft!.id);
    await library.decide(localOwner, draft!.id, 'approve');
    asBefore();
    expect((await errorOf(() => library.publish(localOwner, [draft!.id]))).code).toBe('unsafe_path');
  });
});

/** Writes what versions wrote that took dotted paths. */
async function publishAsBefore(
  { services, project }: TestServer,
  files: Record<string, string>,
): Promise<void> {
  const changes = Object.entries(files).map(([path, text], index) => ({
    op: 'create' as const,
    file_id: `p-before-${index}`,
    kind: 'rule' as const,
    path,
    previous_path: null,
    hash: contentHash(text),
    group: null,
    description: null,
    text,
  }));
  const data = {
    workspace_id: project.workspace_id,
    org: 'local',
    project_id: project.id,
    revision: 1,
    source: 'import' as const,
    changes,
    draft_ids: [],
    note: null,
  };
  await services.journal.commit({
    stream: libraryStream(project.workspace_id),
    actor: localOwner.actor,
    decide: () => ({ events: [{ type: 'library.published', data }], answer: null }),
  });
}

describe('writing below a folder', () => {
  test.each(['existing', 'missing'])('never follows a linked parent whose target is %s', (target) => {
    verifies('LIB-15');
    const outside = join(temporaryFolder(), 'outside');
    if (target === 'existing') mkdirSync(outside);
    const folder = folderOf({ 'a/b/keep.md': 'x' });
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(outside, join(folder, 'a/b/link'));
    for (const path of ['link/x.md', 'link/deeper/x.md', 'a/b/link/x.md']) {
      expect(() => writeInside(folder, path, 'out')).toThrow('unsafe path');
    }
    expect(existsSync(join(outside, 'x.md'))).toBe(false);
    expect(existsSync(outside)).toBe(target === 'existing');
  });

  test('replaces a link at the path itself instead of writing through it', () => {
    verifies('LIB-15');
    const outside = folderOf({ 'target.md': 'theirs' });
    const folder = temporaryFolder();
    symlinkSync(join(outside, 'target.md'), join(folder, 'x.md'));
    expect(writeInside(folder, 'x.md', 'ours')).toBe(true);
    expect(readFileSync(join(outside, 'target.md'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(folder, 'x.md'), 'utf8')).toBe('ours');
  });

  test.each([
    '.git/config',
    'a/.git/config',
    '../x.md',
    '/etc/x.md',
    'a/../../x.md',
    'a\\..\\x.md',
    'x\0.md',
    './x.md',
    'a\u2215b.md',
  ])('refuses %j', (path) => {
    verifies('LIB-15');
    const folder = temporaryFolder();
    expect(() => writeInside(folder, path, 'x')).toThrow('unsafe path');
    expect(scanFolder(folder).files).toEqual([]);
  });

  test('a folder or a file in the way is left as it is', () => {
    const folder = folderOf({ 'a/x.md': 'x', file: 'f' });
    expect(() => writeInside(folder, 'a', 'x')).toThrow('folder');
    expect(() => writeInside(folder, 'file/x.md', 'x')).toThrow('unsafe path');
    chmodSync(join(folder, 'a'), 0o755);
    expect(readFileSync(join(folder, 'a/x.md'), 'utf8')).toBe('x');
  });
});

test('any texts go through import and export unchanged', async () => {
  verifies('LIB-16');
  const server = await startServer({});
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) => value.replaceAll('\0', ''));
  const folders = fc.dictionary(fc.stringMatching(/^[a-m]{1,6}$/), text, { minKeys: 1, maxKeys: 5 });
  await fc.assert(
    fc.asyncProperty(folders, async (names) => {
      const files = Object.fromEntries(
        Object.entries(names).map(([name, content]) => [`p/${name}.md`, content]),
      );
      await take(server, folderOf(files));
      const target = temporaryFolder();
      exportFolder(server.library.database, server.project.workspace_id, target);
      for (const [path, content] of Object.entries(files))
        expect(readFileSync(join(target, path), 'utf8')).toBe(content);
    }),
    { numRuns: 20 },
  );
});
