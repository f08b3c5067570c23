import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import type { AttestationEvent } from '../events.ts';
import { attest, inSession, type LibraryPlace, libraryPlace } from '../session.ts';

export const submit = defineAction(libraryApi.memorySubmit, {
  run: ({ summary }, context) =>
    closeTurn(context, (place) => ({
      type: 'attest.agent_report',
      data: { ...inSession(place), summary },
    })),
});

export const reject = defineAction(libraryApi.memoryReject, {
  run: ({ reason = null }, context) =>
    closeTurn(context, (place) => ({ type: 'attest.reject', data: { ...inSession(place), reason } })),
});

async function closeTurn(context: CallContext, eventIn: (place: LibraryPlace) => AttestationEvent) {
  const place = libraryPlace(context);
  await attest(context, place, () => ({ events: [eventIn(place)], answer: null }));
  return { structured: { ok: true as const } };
}
