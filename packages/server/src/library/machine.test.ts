import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { InfoldError } from '../kernel/errors.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { Agent, startServer, type TestServer } from './fixture.suite.ts';
import { liveDrafts } from './queries/drafts.ts';
import { allFiles, textByHash } from './queries/files.ts';

/** The library as plain maps: what is published by path, and the drafter's one change to a path. */
interface ModelFile {
  id: string;
  text: string;
}
type ModelDraft =
  | { op: 'create'; text: string }
  | { op: 'update'; text: string; base: string }
  | { op: 'rename'; to: string; base: string }
  | { op: 'delete'; base: string };

const PATHS = ['a.md', 'b.md', 'c/d.md'];
const path = fc.constantFrom(...PATHS);
const body = fc.constantFrom('one\n', 'two\n', 'three\n');

const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), path, body }),
  fc.record({ do: fc.constant('update' as const), path, body }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
  fc.record({ do: fc.constant('delete' as const), path }),
  fc.record({ do: fc.constant('discard' as const), path }),
  fc.record({ do: fc.constant('publish' as const), path }),
  fc.record({ do: fc.constant('meanwhile' as const), path, body }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Model {
  readonly published = new Map<string, ModelFile>();
  readonly drafts = new Map<string, ModelDraft>();

  /** The path under which a name means something: where a draft moves it, or where it is. */
  draftPathOf(name: string): string | undefined {
    if (this.drafts.has(name)) return name;
    return [...this.drafts].find(([, draft]) => draft.op === 'rename' && draft.to === name)?.[0];
  }

  isTaken(target: string): boolean {
    return [...this.drafts].some(([at, draft]) => (draft.op === 'rename' ? draft.to : at) === target);
  }

  /** What the drafter sees. */
  view(): Map<string, string> {
    const seen = new Map([...this.published].map(([at, { text }]) => [at, text]));
    for (const [at, draft] of this.drafts) {
      if (draft.op !== 'create') seen.delete(at);
    }
    for (const [at, draft] of this.drafts) {
      if (draft.op === 'rename') seen.set(draft.to, this.published.get(at)?.text ?? '');
      else if (draft.op !== 'delete') seen.set(at, draft.text);
    }
    return seen;
  }
}

async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (InfoldError.isInstance(error) || (error as Error).message.startsWith('draft: ')) return false;
    throw error;
  }
}

async function apply(server: TestServer, agent: Agent, model: Model, one: Step): Promise<void> {
  const { library, project } = server;
  const at = model.draftPathOf(one.path);
  const draft = at === undefined ? undefined : model.drafts.get(at);
  const file = model.published.get(one.path);
  switch (one.do) {
    case 'create': {
      const may = !model.isTaken(one.path) && !file;
      expect(await attempt(() => agent.draft('rule', { create: { path: one.path, body: one.body } }))).toBe(
        may,
      );
      if (may) model.drafts.set(one.path, { op: 'create', text: one.body });
      return;
    }
    case 'update': {
      const may = draft ? draft.op === 'create' || draft.op === 'update' : file !== undefined;
      expect(await attempt(() => agent.draft('rule', { update: { id: one.path, body: one.body } }))).toBe(
        may,
      );
      if (may && draft) (draft as { text: string }).text = one.body;
      else if (may) model.drafts.set(one.path, { op: 'update', text: one.body, base: file!.text });
      return;
    }
    case 'rename': {
      const from = at ?? one.path;
      const movable = draft ? draft.op === 'create' || draft.op === 'rename' : file !== undefined;
      const own = draft?.op === 'rename' && draft.to === one.to;
      const may =
        movable && from !== one.to && !model.published.has(one.to) && (own || !model.isTaken(one.to));
      expect(await attempt(() => agent.draft('rule', { rename: { id: one.path, new_path: one.to } }))).toBe(
        may,
      );
      if (!may) return;
      if (draft?.op === 'create') {
        model.drafts.delete(from);
        model.drafts.set(one.to, draft);
      } else if (draft?.op === 'rename') draft.to = one.to;
      else model.drafts.set(from, { op: 'rename', to: one.to, base: file!.text });
      return;
    }
    case 'delete': {
      const may = draft ? draft.op === 'create' || draft.op === 'delete' : file !== undefined;
      expect(await attempt(() => agent.draft('rule', { delete: { id: one.path } }))).toBe(may);
      if (may && draft?.op === 'create') model.drafts.delete(at!);
      else if (may && !draft) model.drafts.set(one.path, { op: 'delete', base: file!.text });
      return;
    }
    case 'discard':
      expect(await attempt(() => agent.draft('rule', { discard: { id: one.path } }))).toBe(
        draft !== undefined,
      );
      if (at !== undefined) model.drafts.delete(at);
      return;
    case 'meanwhile': {
      await server.publish({ [one.path]: one.body });
      const id = allFiles(library.database, project.workspace_id).find(
        (known) => known.path === one.path,
      )!.id;
      if (file) expect(id).toBe(file.id);
      model.published.set(one.path, { id, text: one.body });
      return;
    }
    case 'publish': {
      const mine = liveDrafts(library.database, { workspaceId: project.workspace_id, principal: 'owner' });
      const target = mine.find((known) => known.path === at);
      expect(target === undefined).toBe(draft === undefined);
      if (!target || !draft || at === undefined) return;
      const current = model.published.get(at);
      const clean =
        draft.op === 'create'
          ? !current
          : current?.text === draft.base && !(draft.op === 'rename' && model.published.has(draft.to));
      const done = await attempt(async () => {
        await library.submit(localOwner, target.id);
        await library.decide(localOwner, target.id, 'approve');
        await library.publish(localOwner, [target.id]);
      });
      expect(done).toBe(clean);
      if (!done) return;
      model.drafts.delete(at);
      if (draft.op === 'delete') model.published.delete(at);
      else if (draft.op === 'rename') {
        model.published.set(draft.to, current!);
        model.published.delete(at);
      } else model.published.set(at, { id: current?.id ?? '', text: draft.text });
      const now = allFiles(library.database, project.workspace_id);
      for (const [where, known] of model.published) {
        const id = now.find((found) => found.path === where)!.id;
        if (known.id !== '') expect(id).toBe(known.id);
        known.id = id;
      }
    }
  }
}

describe('any sequence of drafts and publications', () => {
  test('leaves what a plain model says, ids included, and comes out the same when it is rebuilt', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const server = await startServer({});
        const { agent, library, project, services } = server;
        await agent.setup('thread-1', { drafts: true });
        const other = new Agent(services);
        await other.setup('thread-2');
        const model = new Model();
        for (const one of steps) {
          await apply(server, agent, model, one);
          const files = allFiles(library.database, project.workspace_id);
          expect(new Map(files.map((file) => [file.path, textByHash(library.database, file.hash)]))).toEqual(
            new Map([...model.published].map(([at, { text }]) => [at, text])),
          );
          // Whatever is drafted, another session sees what is published.
          const others = await other.discover();
          expect(others.map((item) => item.path)).toEqual([...model.published.keys()].sort());
        }
        const seen = await agent.discover();
        const view = model.view();
        expect(seen.map((item) => item.path)).toEqual([...view.keys()].sort());
        const words = await agent.discover({ query: 'md' });
        expect(words.map((item) => item.path).sort()).toEqual([...view.keys()].sort());
        const tables = () =>
          [
            'library_file',
            'library_draft',
            'library_text',
            'library_revision',
            'library_turn',
            'library_draft_action',
          ].map((name) => library.database.all(`SELECT * FROM ${name} ORDER BY 1, 2, 3`));
        const before = tables();
        await services.journal.rebuild();
        expect(tables()).toEqual(before);
        expect(await agent.discover()).toEqual(seen);
      }),
      { numRuns: runs(25) },
    );
  }, 120_000);
});
