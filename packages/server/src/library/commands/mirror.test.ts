import type { ManifestFile } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { LibraryEvent } from '../events.ts';
import { contentHash } from '../files/hashes.ts';
import type { LibraryFile } from '../queries/files.ts';
import { mirrorFiles } from './mirror.ts';

const TEXTS = ['# One\n', '# Two\n', '---\ndescription: Three\n---\n# Three\n'];
const texts = new Map(TEXTS.map((text) => [contentHash(text), text]));
const target = { workspaceId: 'ws', org: 'local', projectId: 'proj', validators: [], hubUrl: 'https://hub' };
const hub = { revision: 7, digest: 'd' };

const file: fc.Arbitrary<ManifestFile> = fc.record({
  id: fc.constantFrom('p-1', 'p-2', 'p-3', 'p-4'),
  path: fc.constantFrom('a.md', 'b.md', 'c.md', 'd.md'),
  kind: fc.constantFrom('rule' as const, 'workflow' as const),
  hash: fc.constantFrom(...texts.keys()),
});
const library = fc
  .uniqueArray(file, { selector: ({ id }) => id })
  .map((files) => files.filter((one, place) => files.findIndex(({ path }) => path === one.path) === place));

type Known = Map<string, Pick<LibraryFile, 'path' | 'kind' | 'hash' | 'deleted'>>;

function applied(known: Known, events: readonly LibraryEvent[]): Known {
  const next = new Map(known);
  for (const { type, data } of events) {
    if (type !== 'library.published') continue;
    for (const { op, file_id, path, kind, hash } of data.changes) {
      next.set(file_id, { path, kind, hash, deleted: op === 'delete' ? 1 : 0 });
    }
  }
  return next;
}

describe('a copy', () => {
  test('becomes what the hub has, and what is there already is no change', () => {
    verifies('LIB-18');
    fc.assert(
      fc.property(library, library, (before, after) => {
        const known: Known = new Map(before.map(({ id, ...rest }) => [id, { ...rest, deleted: 0 }]));
        const named = new Set(after.map(({ id }) => id));
        const gone = before
          .filter(({ id }) => !named.has(id))
          .map((one) => ({ ...one, gone: true as const }));
        const files = [...gone, ...after];
        const { events } = mirrorFiles({ revision: 3, known, texts }, target, { files, hub });
        const there = applied(known, events);
        const live = [...there].filter(([, one]) => one.deleted === 0).map(([id, one]) => ({ ...one, id }));
        const sorted = (list: readonly { id: string }[]) => [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(sorted(live)).toEqual(sorted(after.map((one) => ({ ...one, deleted: 0 }))));
        const again = mirrorFiles({ revision: 4, known: there, texts }, target, { files });
        expect(again.events).toEqual([]);
      }),
    );
  });

  test('says what it is a copy of, with the drafts that the hub has published', () => {
    const { events } = mirrorFiles({ revision: 3, known: new Map(), texts }, target, {
      ...{ files: [], hub, draftIds: ['draft_1'] },
    });
    expect(events).toMatchObject([
      { type: 'library.published', data: { revision: 4, source: 'hub', hub, draft_ids: ['draft_1'] } },
    ]);
  });
});
