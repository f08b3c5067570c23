import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { errorOf, temporaryFolder } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/caller.ts';
import { exportFolder, writeInside } from './export-folder.ts';
import { startServer, type TestServer } from './fixture.suite.ts';
import { importFolder, scanFolder } from './import-folder.ts';
import { liveDrafts } from './queries/drafts.ts';
import { allFiles, textByHash } from './queries/files.ts';

function folderOf(files: Record<string, string | Buffer>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const take = ({ library, project }: TestServer, folder: string, publish = true) =>
  importFolder(library, localOwner, project, folder, { publish });
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

describe('import', () => {
  test('understands the files of agents, and export gives the folder back byte for byte', async () => {
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
      '.cursor/rules/ts.mdc': ['rule', 'Applies to *.ts'],
      '.github/copilot-instructions.md': ['rule', undefined],
      '.github/instructions/py.instructions.md': ['rule', 'Applies to **/*.py'],
      'workflow/SHIP.md': ['workflow', undefined],
      'context/Größe 規則.md': ['context', undefined],
    });
    expect((await agent.setup()).mpf!.content).toBe('# Ours\n');
    const target = join(temporaryFolder(), 'new');
    expect(exportFolder(server.library.database, server.project.workspace_id, target)).toEqual({
      written: 9,
      unchanged: 0,
      skipped: [],
      untold: [],
    });
    for (const [path, content] of Object.entries(AGENT_FILES)) {
      expect(readFileSync(join(target, path)).equals(Buffer.from(content)), path).toBe(true);
    }
    expect(scanFolder(target).paths.sort()).toEqual(Object.keys(AGENT_FILES).sort());
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
    expect(await take(server, folder, false)).toMatchObject({
      skipped: [
        { path: 'META_PROMPT.md', reason: 'draft already exists' },
        { path: 'a/N.md', reason: 'draft already exists' },
        { path: 'context/X.md', reason: 'draft already exists' },
      ],
    });
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

  test('replaces secrets and says how many', async () => {
    const server = await startServer({});
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    expect(await take(server, folderOf({ 'a.md': `# a\n\ntoken ${secret}\n` }))).toMatchObject({
      secrets: 1,
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
    await library.decide(localOwner, draft!.id, 'approve', null);
    await library.publish(localOwner, [draft!.id], null);
    const target = temporaryFolder();
    expect(exportFolder(library.database, project.workspace_id, target).untold).toEqual(['spec/X.md']);
    writeFileSync(join(target, 'spec/X.md'), '# X2\n');
    await take(server, target);
    expect(await agent.discover()).toMatchObject([{ path: 'spec/X.md', kind: 'context' }]);
  });
});

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

  test.each(['../x.md', '/etc/x.md', 'a/../../x.md', 'a\\..\\x.md', 'x\0.md', './x.md', 'a\u2215b.md'])(
    'refuses %j',
    (path) => {
      verifies('LIB-15');
      const folder = temporaryFolder();
      expect(() => writeInside(folder, path, 'x')).toThrow('unsafe path');
      expect(scanFolder(folder).paths).toEqual([]);
    },
  );

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
