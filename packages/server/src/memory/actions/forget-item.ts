import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { forgetEverywhere } from '../../call/forget.ts';
import { heldElsewhere } from '../errors.ts';
import { partitionsHolding, readablePartitions } from '../queries.ts';
import { readerFor } from '../read-access.ts';
import { findItem } from '../search.ts';

/** One id may name an item in several places, and all of them go: so all of them must be the caller's to read. */
export const forgetItem = defineAction(memoryApi.forgetItem, {
  scrubsItself: true,
  async run({ id, ...whose }, context) {
    const { database, caller } = context;
    const reader = readerFor(context, whose);
    findItem(database, reader, id);
    const readable = new Set(
      readablePartitions(database, { ...reader, projectId: null }).map(({ number }) => number),
    );
    if (partitionsHolding(database, caller.org, id).some((number) => !readable.has(number))) {
      throw heldElsewhere(id);
    }
    const { entries } = await forgetEverywhere(context, caller, { kind: 'item', id, org: caller.org });
    return { structured: { id, entries } };
  },
});
