import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { invalidTargetKind, unknownConstraint, unknownRule } from '../errors.ts';
import type { AttestationEvent, ReferEvidence } from '../events.ts';
import { isSameHash } from '../files/hashes.ts';
import { constraintsByHash } from '../queries/files.ts';
import { findItem } from '../queries/items.ts';
import { instructedHash, loadedHash } from '../queries/sessions.ts';
import { attest, inSession, libraryPlace } from '../session.ts';

export const refer = defineAction(libraryApi.memoryRefer, {
  async run({ refs }, context) {
    const place = libraryPlace(context);
    const evidence = await attest(context, place, (database) => {
      // LIB-07: every reference is checked before any is recorded.
      const checked = refs.map((ref): ReferEvidence => {
        const item = findItem(database, place, ref.ruleId);
        if (!item) throw unknownRule(ref.ruleId);
        if (item.kind === 'context') throw invalidTargetKind(ref.ruleId);
        const constraints = constraintsByHash(database, item.hash);
        const constraint = constraints.find(({ id }) => id === ref.constraintId);
        if (!constraint) throw unknownConstraint(ref.ruleId, ref.constraintId, constraints);
        const { id } = place.session;
        // What the host put before its model is loaded, whoever did it.
        const loaded = loadedHash(database, id, item.id) ?? instructedHash(database, id, item.id);
        const worked = ref.ruleHash || loaded;
        return {
          rule_id: item.id,
          path: item.path,
          rule_hash: item.hash,
          claimed_hash: ref.ruleHash ?? null,
          constraint_id: constraint.id,
          constraint_name: constraint.name,
          constraint_text: constraint.text,
          reason: ref.reason ?? null,
          loaded: loaded !== undefined,
          stale: worked !== undefined && !isSameHash(worked, item.hash),
        };
      });
      const event: AttestationEvent = { type: 'attest.refer', data: { ...inSession(place), refs: checked } };
      return { events: [event], answer: checked };
    });
    const unloaded = evidence.filter(({ loaded }) => !loaded).length;
    const stale = evidence.filter((ref) => ref.stale).length;
    if (unloaded > 0) context.notices.push(`${unloaded} refs name rules that this session has not loaded`);
    if (stale > 0) context.notices.push(`${stale} refs name rules that have changed since; load them again`);
    return { structured: { ok: true as const, count: refs.length } };
  },
});
