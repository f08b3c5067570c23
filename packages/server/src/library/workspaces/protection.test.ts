import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { type Caller, localOwner, ownerIn } from '../../trust/identity/caller.ts';
import { readDraft } from '../actions/drafts.ts';
import { importFiles } from '../actions/folders.ts';
import { STYLE, startServer } from '../fixture.suite.ts';
import { revisionOf } from '../queries/files.ts';
import { listProtections, protectPaths } from './actions.ts';

const RULE = '# Rule\n\n## Do\n\n- This.\n';
const person = (name: string): Caller => ({
  ...ownerIn('local', name),
  scopes: ['read', 'write', 'review'],
});
const [alice, rita, sam, tom] = ['alice', 'rita', 'sam', 'tom'].map(person) as [
  Caller,
  Caller,
  Caller,
  Caller,
];

async function startProtected(wish: object, config = {}) {
  const server = await startServer(undefined, config);
  const { library, project } = server;
  const protect = (more: object, caller: Caller = localOwner) =>
    library.act(caller, protectPaths, { project: project.id, ...more });
  await protect(wish);
  const propose = async (path = 'security/KEYS.md', by: Caller = alice) => {
    const op = { create: { path, body: RULE } };
    const { draft_id } = await library.stage(by, project, { resource: 'rule', op });
    await library.submit(by, draft_id);
    return draft_id;
  };
  const revision = () => revisionOf(library.database, project.workspace_id);
  return { ...server, protect, propose, revision };
}

describe('a protected path', () => {
  test('is published with the approvals of its reviewers, and not without', async () => {
    verifies('LIB-18');
    const { library, propose, revision } = await startProtected({
      ...{ pattern: 'security/**', reviewers: ['rita', 'sam'], approvals: 2 },
    });
    const id = await propose();
    await expect(library.decide(tom, id, 'approve')).rejects.toThrow(/"security\/\*\*" \(rita, sam\)/);
    const once = await library.decide(rita, id, 'approve');
    expect(once).toMatchObject({
      status: 'approved',
      protected: [{ pattern: 'security/**', approvals: 2, approved_by: ['rita'] }],
    });
    // Not even the owner.
    await expect(library.publish(localOwner, [id])).rejects.toThrow(
      'security/KEYS.md is protected by "security/**": it needs 2 approvals of rita, sam, and has only 1 (rita)',
    );
    expect(revision()).toBe(1);
    await expect(library.decide(rita, id, 'approve')).rejects.toThrow(/you have approved it already/);
    await library.decide(sam, id, 'approve');
    await library.publish(tom, [id]);
    expect(revision()).toBe(2);
  });

  test('counts nobody’s approval of what has changed since', async () => {
    const { library, project, propose } = await startProtected({ pattern: 'security/', reviewers: ['rita'] });
    const id = await propose();
    await library.decide(rita, id, 'approve');
    await library.stage(alice, project, {
      resource: 'rule',
      op: { update: { id, body: `${RULE}- That.\n` } },
    });
    await library.submit(alice, id);
    expect(await library.act(alice, readDraft, { id })).toMatchObject({ protected: [{ approved_by: [] }] });
    await library.decide(rita, id, 'approve');
    await library.publish(rita, [id]);
  });

  test('does not count who drafted it where nobody may approve their own', async () => {
    const strict = { library: { selfApproval: false } };
    const { library, propose } = await startProtected({ pattern: 'security/', approvals: 1 }, strict);
    const id = await propose('security/KEYS.md', rita);
    await expect(library.decide(rita, id, 'approve')).rejects.toThrow(/drafted this yourself/);
    await library.decide(sam, id, 'approve');
    await library.publish(sam, [id]);
  });

  test('is not got round by an import, a restore, a rename or a deletion, and then nothing is written', async () => {
    const { library, project, propose, protect, revision } = await startProtected({
      ...{ pattern: 'coding/**', reviewers: ['rita'] },
    });
    const files = [
      { path: 'free/A.md', content: RULE },
      { path: 'coding/STYLE.md', content: `${STYLE}\nMore.\n` },
    ];
    const send = (publish: boolean, sent = files) =>
      library.act(localOwner, importFiles, { project: project.id, files: sent, publish });
    await expect(send(true)).rejects.toThrow(/protected by "coding\/\*\*".*rita/);
    await expect(library.restore(localOwner, project, 'coding/STYLE.md', 1)).rejects.toThrow(/protected/);
    expect(revision()).toBe(1);
    // What stays as it is touches nothing.
    expect(await send(true, [files[0]!, { path: 'coding/STYLE.md', content: STYLE }])).toMatchObject({
      created: 1,
      unchanged: 1,
    });
    for (const op of [
      { rename: { id: 'coding/STYLE.md', new_path: 'free/STYLE.md' } },
      { delete: { id: 'coding/STYLE.md' } },
    ]) {
      const { draft_id: id } = await library.stage(alice, project, { resource: 'rule', op });
      await library.submit(alice, id);
      await expect(library.decide(tom, id, 'approve')).rejects.toThrow(/does not count/);
      await library.discard(alice, id);
    }
    const free = await propose('other/B.md');
    await library.decide(tom, free, 'approve');
    await library.publish(tom, [free]);
    await protect({ pattern: 'coding/**', none: true });
    expect(await send(true)).toMatchObject({ updated: 1 });
  });

  test('is set by who administers the project, and listed', async () => {
    const { library, project, protect } = await startProtected({
      pattern: 'a/**',
      reviewers: ['rita', 'rita'],
    });
    await expect(protect({ pattern: 'b/**' }, rita)).rejects.toThrow(/scope/);
    await expect(protect({ pattern: 'b/{' })).rejects.toThrow(/braces/);
    await expect(protect({ pattern: 'b/**', reviewers: ['rita'], approvals: 2 })).rejects.toThrow(/only 1/);
    await expect(protect({ pattern: 'b/**', none: true })).rejects.toThrow(/protected are "a\/\*\*"/);
    await protect({ pattern: 'b/**', approvals: 3 });
    expect((await library.act(rita, listProtections, { project: project.id })).protections).toEqual([
      { pattern: 'a/**', reviewers: ['rita'], approvals: 1 },
      { pattern: 'b/**', reviewers: [], approvals: 3 },
    ]);
  });
});
