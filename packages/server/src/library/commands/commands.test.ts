import { DRAFT_STATUSES } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { DraftStaged, FileChange, LibraryEvent } from '../events.ts';
import { contentHash } from '../files/hashes.ts';
import type {
  IncomingState,
  PublishState,
  RestoreState,
  ReviewStateWithTexts,
  StagingState,
} from '../queries/command-state.ts';
import type { Draft } from '../queries/drafts.ts';
import type { Revision } from '../queries/files.ts';
import { conflictOf, conflictReason } from './conflict.ts';
import { type DraftingParty, stageDraft } from './draft.ts';
import { importChanges, importFiles } from './import.ts';
import { type PublishTarget, publishDrafts, restoreRevision } from './publish.ts';
import { planRebase, rebaseDraft } from './rebase.ts';
import { commentDraft, decideDraft, discardDraft, STEPS, submitDraft } from './review.ts';

/** Commands see states alone, so that every situation can be written down here without a server. */

const TEXTS = ['one\n', 'one\ntwo\n', 'three\n'];
const texts = new Map(TEXTS.map((text) => [contentHash(text), text]));
const target: PublishTarget = { workspaceId: 'ws', org: 'local', projectId: 'proj', validators: [] };
const newFileId = () => 'fresh';
const wish = { note: null, selfApproval: true, newFileId };

const path = fc.constantFrom('a.md', 'b.md', 'c/d.md');
const hash = fc.constantFrom(...texts.keys());
const published = fc.record({
  id: fc.constantFrom('p-1', 'p-2'),
  path,
  hash,
  kind: fc.constant('rule' as const),
});
type PublishedFile = typeof published extends fc.Arbitrary<infer Value> ? Value : never;

const change = fc.oneof(
  fc.record({ op: fc.constant('create' as const), hash }),
  fc.record({ op: fc.constant('update' as const), hash }),
  fc.record({ op: fc.constant('rename' as const), hash, new_path: fc.constantFrom('x.md', 'y.md') }),
  fc.record({ op: fc.constant('delete' as const), hash: fc.constant(null) }),
);

function draftOf(fields: Partial<Draft>): Draft {
  return {
    ordinal: 1,
    id: 'draft_1',
    workspace_id: 'ws',
    org: 'local',
    project_id: 'proj',
    principal: 'alice',
    resource: 'rule',
    op: 'update',
    status: 'draft',
    live: 1,
    file_id: 'p-1',
    path: 'a.md',
    new_path: null,
    base_hash: contentHash(TEXTS[0]!),
    hash: contentHash(TEXTS[1]!),
    kind: 'rule',
    file_group: null,
    file_description: null,
    description: null,
    origin: null,
    session_id: null,
    created_at: 1,
    updated_at: 1,
    decided_by: null,
    decided_at: null,
    note: null,
    ...fields,
  };
}

/** A draft in any state, over a library in which anything may have happened since it was made. */
const situation = fc
  .record({
    change,
    path,
    base: hash,
    status: fc.constantFrom(...DRAFT_STATUSES),
    now: fc.option(published, { nil: undefined }),
    atPath: fc.option(published, { nil: undefined }),
  })
  .map(({ change, path, base, status, now, atPath }): ReviewStateWithTexts => {
    const isNew = change.op === 'create';
    const draft = draftOf({
      ...change,
      path,
      status,
      base_hash: isNew ? null : base,
      file_id: isNew ? null : 'p-1',
    });
    const inPlace = atPath && { ...atPath, path: draft.new_path ?? path };
    return { draft, published: isNew ? inPlace : now && { ...now, id: 'p-1' }, atPath: inPlace, texts };
  });

type Outcome = { events: LibraryEvent[] } | { refused: string };

function outcomeOf(decide: () => { events: LibraryEvent[] }): Outcome {
  try {
    return { events: decide().events };
  } catch (error) {
    if (!InfoldError.isInstance(error)) throw error;
    return { refused: error.code };
  }
}

function frozen<Value>(value: Value): Value {
  if (value && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

const publishing = (...states: ReviewStateWithTexts[]): PublishState => ({
  revision: 7,
  drafts: states.map((state) => ({ ...state, gone: undefined })),
});

/** What a projection makes of a draft that was staged or rebased. */
function afterwards(draft: Draft, { events }: { events: LibraryEvent[] }): Draft {
  const { group, secrets, draft_id, text, ...data } = events[0]!.data as DraftStaged;
  return { ...draft, ...data, id: draft_id, file_group: group, status: 'draft', origin: data.origin ?? null };
}

describe('review', () => {
  test('a step is taken from its states alone, and leaves one event', () => {
    verifies('LIB-12');
    fc.assert(
      fc.property(situation, (state) => {
        const { draft } = frozen(state);
        const by = { principal: 'rita', selfApproval: true };
        const outcomes = {
          submit: outcomeOf(() => submitDraft(state, null)),
          discard: outcomeOf(() => discardDraft(draft, { action: 'discard', sessionId: null })),
          comment: outcomeOf(() => commentDraft(state, { text: 'why?' })),
          approve: outcomeOf(() => decideDraft(draft, 'approve', null, by)),
          decline: outcomeOf(() => decideDraft(draft, 'decline', null, by)),
          publish: outcomeOf(() => publishDrafts(publishing(state), target, wish)),
        };
        for (const step of Object.keys(outcomes) as (keyof typeof outcomes)[]) {
          const hasConflict = (step === 'submit' || step === 'publish') && conflictReason(state);
          if (!STEPS[step].includes(draft.status)) expect(outcomes[step]).toEqual({ refused: 'draft_state' });
          else if (hasConflict) expect(outcomes[step]).toEqual({ refused: 'conflict' });
          else expect(outcomes[step]).toEqual({ events: [expect.anything()] });
        }
      }),
    );
  });

  test('drafters approve and publish what is their own only where the setting allows it', () => {
    const strict = { principal: 'alice', selfApproval: false };
    expect(outcomeOf(() => decideDraft(draftOf({ status: 'in_review' }), 'approve', null, strict))).toEqual({
      refused: 'forbidden',
    });
    const file: PublishedFile = { id: 'p-1', path: 'a.md', hash: contentHash(TEXTS[0]!), kind: 'rule' };
    const approved = (decided_by: string) =>
      publishing({
        draft: draftOf({ status: 'approved', decided_by }),
        published: file,
        atPath: file,
        texts,
      });
    const strictly = { ...wish, selfApproval: false };
    expect(outcomeOf(() => publishDrafts(approved('alice'), target, strictly))).toEqual({
      refused: 'forbidden',
    });
    expect(publishDrafts(approved('rita'), target, strictly).answer.revision).toBe(8);
    expect(publishDrafts(approved('alice'), target, wish).answer.revision).toBe(8);
  });

  test('of drafts that go together none is published where one has a conflict', () => {
    verifies('LIB-12');
    const approved = situation.map((state) => ({
      ...state,
      draft: { ...state.draft, status: 'approved' as const },
    }));
    fc.assert(
      fc.property(fc.array(approved, { minLength: 1, maxLength: 4 }), (states) => {
        const outcome = outcomeOf(() => publishDrafts(frozen(publishing(...states)), target, wish));
        if (states.some(conflictReason)) expect(outcome).toEqual({ refused: 'conflict' });
        else {
          expect(outcome).toMatchObject({ events: [{ type: 'library.published', data: { revision: 8 } }] });
          const { changes } = (outcome as { events: { data: { changes: FileChange[] } }[] }).events[0]!.data;
          expect(changes.map(({ op }) => op)).toEqual(states.map(({ draft }) => draft.op));
        }
      }),
    );
  });
});

describe('a rebase', () => {
  const open = situation.filter(({ draft }) => STEPS.rebase.includes(draft.status));

  test('leaves a draft that can be published, or says why there is none', () => {
    verifies('LIB-12');
    fc.assert(
      fc.property(open, fc.constantFrom('draft' as const, 'published' as const), (state, take) => {
        const outcome = outcomeOf(() => {
          const plan = planRebase(frozen(state), { take, body: undefined, mostBytes: 1000 });
          return rebaseDraft(state, plan);
        });
        if ('refused' in outcome) {
          expect(outcome.refused).toBe('conflict');
          expect(conflictOf(state)).toBeDefined();
        } else if (outcome.events.length === 0) expect(conflictOf(state)).toBeUndefined();
        else {
          const draft = afterwards(state.draft, outcome);
          // Conflicts are told one after another: that its new path is taken is left for the next one.
          const isTaken = draft.op === 'rename' && state.atPath !== undefined;
          const left = conflictReason({ ...state, draft });
          expect(left).toBe(isTaken ? 'path_taken' : undefined);
        }
      }),
    );
  });

  test('is outdated where what it was planned on has changed', () => {
    fc.assert(
      fc.property(open, published, (state, later) => {
        let plan: ReturnType<typeof planRebase>;
        try {
          plan = planRebase(state, { take: 'draft', body: undefined, mostBytes: 1000 });
        } catch {
          return;
        }
        const now = { ...state, published: { ...later, hash: 'sha256:other' } };
        expect(rebaseDraft(now, plan)).toEqual({ events: [], answer: { rebased: false, isOutdated: true } });
        expect(rebaseDraft(state, plan).answer.isOutdated).toBe(false);
      }),
    );
  });
});

describe('staging', () => {
  const party: DraftingParty = {
    workspaceId: 'ws',
    org: 'local',
    projectId: 'proj',
    principal: 'alice',
    sessionId: 'sess_1',
    isOptedIn: false,
    secrets: 0,
    mostBytes: 1000,
  };
  const nothing: StagingState = {
    named: undefined,
    file: undefined,
    ofFile: undefined,
    hasMetaPrompt: false,
    wanted: { draft: undefined, file: undefined },
    text: undefined,
    submitted: undefined,
  };
  const file: PublishedFile = { id: 'p-1', path: 'a.md', hash: contentHash(TEXTS[0]!), kind: 'rule' };
  const stage = (state: Partial<StagingState>, op: Parameters<typeof stageDraft>[3]) =>
    stageDraft(frozen({ ...nothing, ...state }), party, 'rule', op, 'draft_new');
  const update = { update: { id: 'a.md', body: 'mine' } };

  test('an update begins from what is published, and goes on from where the first one began', () => {
    verifies('LIB-09');
    const first = stage({ file }, update);
    expect(first.answer).toEqual({ draft_path: 'a.md', draft_id: 'draft_new' });
    expect(first.events[0]!.data).toMatchObject({ op: 'update', file_id: 'p-1', base_hash: file.hash });
    const named = { ...afterwards(draftOf({}), first), session_id: 'sess_1' };
    const second = stage({ named }, { update: { id: 'a.md', body: 'mine again' } });
    expect(second.answer.draft_id).toBe('draft_new');
    expect(second.events[0]!.data).toMatchObject({
      base_hash: file.hash,
      hash: contentHash('mine again'),
    });
  });

  test('what another session staged is not written over unseen', () => {
    verifies('LIB-11');
    const theirs = draftOf({ session_id: 'sess_2' });
    expect(outcomeOf(() => stage({ named: theirs }, update))).toEqual({ refused: 'draft_exists' });
    expect(outcomeOf(() => stage({ file, ofFile: theirs }, update))).toEqual({ refused: 'draft_exists' });
  });

  test('a path that is taken, by a file or by a draft, takes no new file', () => {
    const create = { create: { path: 'a.md', body: 'mine' } };
    expect(stage({}, create).events).toHaveLength(1);
    expect(outcomeOf(() => stage({ wanted: { draft: undefined, file } }, create))).toEqual({
      refused: 'path_taken',
    });
    const draft = draftOf({ session_id: 'sess_1' });
    expect(outcomeOf(() => stage({ wanted: { draft, file: undefined } }, create))).toEqual({
      refused: 'draft_exists',
    });
  });

  test('a new file that is deleted again is discarded', () => {
    verifies('LIB-10');
    const named = draftOf({ op: 'create', file_id: null, base_hash: null, session_id: 'sess_1' });
    expect(stage({ named }, { delete: { id: 'a.md' } }).events).toMatchObject([
      { type: 'draft.discarded', data: { action: 'delete' } },
    ]);
  });

  test('nothing is found of a name that nothing has', () => {
    const id = 'gone.md';
    for (const op of [update, { rename: { id, new_path: 'b.md' } }, { delete: { id } }]) {
      expect(outcomeOf(() => stage({}, op))).toEqual({ refused: 'file_not_found' });
    }
    expect(outcomeOf(() => stage({}, { discard: { id } }))).toEqual({ refused: 'file_not_found' });
    expect(outcomeOf(() => stage({}, { submit: { id } }))).toEqual({ refused: 'file_not_found' });
  });
});

describe('an import', () => {
  const incoming = fc
    .uniqueArray(fc.record({ path, text: fc.constantFrom(...TEXTS), known: fc.option(published) }), {
      selector: (file) => file.path,
    })
    .map((files) =>
      files.map(
        ({ path, text, known }, index): IncomingState => ({
          path,
          text,
          known: known ? { ...known, id: `p-${index}`, path } : undefined,
          gone: undefined,
        }),
      ),
    );

  test('changes what is different alone, keeps ids, and changes nothing when it is repeated', () => {
    verifies('LIB-16');
    fc.assert(
      fc.property(incoming, (files) => {
        const changes = importChanges(frozen(files), newFileId);
        for (const { path, file_id, op } of changes) {
          const { known } = files.find((file) => file.path === path)!;
          expect([op, file_id]).toEqual(known ? ['update', known.id] : ['create', 'p-fresh']);
        }
        const again = files.map((file) => {
          const change = changes.find(({ path }) => path === file.path);
          const known = change ? { ...change, id: change.file_id } : file.known;
          return { ...file, known };
        });
        expect(importChanges(again, newFileId)).toEqual([]);
      }),
    );
  });

  test('publishes the drafts that say the same, and discards those that have nothing left to say', () => {
    const text = TEXTS[1]!;
    const named = (id: string, path: string) => draftOf({ id, path, hash: contentHash(text) });
    const files: IncomingState[] = [
      { path: 'a.md', text, known: undefined, gone: { id: 'p-before' } },
      {
        path: 'b.md',
        text,
        known: { id: 'p-2', path: 'b.md', hash: contentHash(text), kind: 'rule' },
        gone: undefined,
      },
    ];
    const drafts = [named('draft_a', 'a.md'), named('draft_b', 'b.md')];
    const { events } = importFiles(frozen({ revision: 7, files, drafts }), target, newFileId);
    expect(events).toMatchObject([
      { type: 'draft.discarded', data: { draft_id: 'draft_b' } },
      {
        type: 'library.published',
        data: { revision: 8, draft_ids: ['draft_a'], changes: [{ op: 'create', file_id: 'p-before' }] },
      },
    ]);
  });

  test('leaves out what another door refuses', () => {
    const files: IncomingState[] = TEXTS.slice(0, 2).map((text, index) => ({
      path: `${index}.md`,
      text,
      known: undefined,
      gone: undefined,
    }));
    const validators = [({ path }: { path: string }) => (path === '0.md' ? ['has no steps'] : [])];
    const { answer } = importFiles({ revision: 0, files, drafts: [] }, { ...target, validators }, newFileId);
    expect(answer.refused).toEqual([{ path: '0.md', reason: 'has no steps' }]);
    expect(answer.changes.map(({ path }) => path)).toEqual(['1.md']);
  });
});

describe('a restore', () => {
  const revision = (number: number, op: Revision['op']): Revision => ({
    workspace_id: 'ws',
    file_id: 'p-1',
    revision: number,
    op,
    path: 'a.md',
    kind: 'rule',
    previous_path: null,
    hash: contentHash(TEXTS[0]!),
    source: 'import',
    note: null,
    origin: null,
    organisation: null,
    at: 1,
    author: 'alice',
    reviewer: null,
    principal: 'alice',
  });
  const state = (deleted: number): RestoreState => ({
    revision: 7,
    history: [revision(1, 'create')],
    file: { id: 'p-1', path: 'moved.md', kind: 'rule', deleted },
    wanted: { revision: revision(1, 'create'), text: TEXTS[0] },
  });
  const restore = (given: RestoreState, number = 1) =>
    restoreRevision(frozen(given), target, { name: 'a.md', revision: number });

  test('brings content back to where the file is now, and a file that is gone to where it was', () => {
    expect(restore(state(0)).answer.changes).toMatchObject([
      { op: 'update', path: 'moved.md', text: TEXTS[0] },
    ]);
    expect(restore(state(1)).answer.changes).toMatchObject([{ op: 'create', path: 'a.md', text: TEXTS[0] }]);
  });

  test('has nothing to bring back of a deletion, of the future, and of what never was', () => {
    const deleted = { ...state(1), wanted: { revision: revision(2, 'delete'), text: undefined } };
    for (const refuse of [
      () => restore(deleted),
      () => restore(state(0), 8),
      () => restore({ ...state(0), wanted: undefined }),
    ]) {
      expect(outcomeOf(refuse)).toEqual({ refused: 'not_found' });
    }
  });
});
