import { type LoadedItem, libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { invalid, unknownRuleId } from '../errors.ts';
import { isSameHash } from '../files/hashes.ts';
import { constraintsByHash, textByHash } from '../queries/files.ts';
import { libraryState } from '../queries/in-force.ts';
import { findItem, type Item, traitMarks } from '../queries/items.ts';
import { attest, inSession, libraryPlace, noticeOverlay } from '../session.ts';

export const load = defineAction(libraryApi.memoryLoad, {
  async run(input, context) {
    const { knownHashes } = input;
    const ids = [...new Set(input.ids)];
    const missing = ids.filter((id) => !Object.hasOwn(knownHashes, id));
    if (missing.length > 0) {
      throw invalid(
        `Invalid arguments for memory.load: knownHashes must include every requested id, with "" when its hash is not known; missing: ${missing.slice(0, 5).join(', ')}`,
      );
    }
    const place = libraryPlace(context);
    const found = ids.map((id) => findItem(context.database, place, id));
    const unknown = ids.filter((_, index) => !found[index]);
    if (unknown.length > 0) throw unknownRuleId(unknown);
    const items = (found as Item[]).map((item, index) =>
      loadedView(context.database, item, knownHashes[ids[index]!]!),
    );
    noticeOverlay(context, place, items);
    noticeDeprecated(context, items);
    // Made before the transaction, which then finds it.
    libraryState(context.database, place.workspaceId);
    await attest(context, place, (database) => ({
      events: [
        {
          type: 'attest.load',
          data: {
            ...inSession(place),
            items: items.map(({ id, kind, path, hash, changed, hasDraft }) => ({
              id,
              kind,
              path,
              hash,
              changed,
              draft: hasDraft,
            })),
            library: libraryState(database, place.workspaceId),
          },
        },
      ],
      answer: null,
    }));
    return { structured: { workspaceId: place.workspaceId, items } };
  },
});

function noticeDeprecated(context: CallContext, items: readonly LoadedItem[]): void {
  for (const { path, deprecated, successor } of items) {
    if (!deprecated) continue;
    const instead = successor === undefined ? '' : `; ${successor} has taken its place`;
    context.notices.push(`${path} is deprecated${instead}`);
  }
}

function loadedView(database: Database, item: Item, known: string): LoadedItem {
  const { id, kind, path, hash, draft } = item;
  const changed = !isSameHash(known, hash);
  const referable = kind === 'context' ? [] : constraintsByHash(database, hash);
  return {
    id,
    kind,
    path,
    changed,
    hash,
    hasDraft: draft !== undefined,
    ...(draft?.base_hash ? { draftBaseHash: draft.base_hash } : {}),
    ...traitMarks(item),
    content: changed ? contentFor(database, item, referable) : null,
    constraints: referable,
  };
}

function contentFor(database: Database, item: Item, constraints: readonly { id: string }[]): string {
  const text = textByHash(database, item.hash);
  if (text === undefined) throw new Error(`The content ${item.hash} of ${item.path} is missing`);
  return item.kind === 'context' ? text : text + reminder(item, text, constraints);
}

/** LIB-06: follows the content of rules and workflows, and is not part of what is hashed. */
function reminder({ id, hash }: Item, text: string, constraints: readonly { id: string }[]): string {
  const line = `${text.endsWith('\n') ? '' : '\n'}\n---\n`;
  if (constraints.length === 0)
    return `${line}This file has no constraints for memory.refer (no H2 section with text).\n`;
  const ids = constraints.map((constraint) => constraint.id).join(', ');
  return `${line}If this shaped your work, say so before you finish: memory.refer with ruleId "${id}", ruleHash "${hash}" and the constraintId of each constraint you applied. Valid ids: ${ids}\n`;
}
