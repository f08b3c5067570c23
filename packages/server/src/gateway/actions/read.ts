import { gatewayApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { branchById, isOwnBranch } from '../../fold/queries.ts';
import { cutToFit, fitting, roomFor } from '../../kernel/pages.ts';
import { participantOf } from '../access.ts';
import { type PodReader, type PodReadQuery, type ReadPage, readPod } from '../history/read-pod.ts';
import type { StoredEnvelope } from '../queries.ts';
import { podOf } from './pod-of-call.ts';

export const read = defineAction(gatewayApi.podRead, {
  async run(input, context) {
    const pod = podOf(context, input);
    const participant = participantOf(context.caller, input.participant);
    const { since, filter, text, from, after_time, limit, wait_seconds } = input;
    const reading: PodReadQuery = {
      ...{ context: input.context, correlation: input.correlation_id, text, from, filter, limit },
      since: since ?? 0,
      after_time: after_time === undefined ? undefined : Date.parse(after_time),
    };
    const { org, principal } = context.caller;
    const owns = (branchId: string) => {
      const branch = branchById(context.database, branchId);
      return branch !== undefined && isOwnBranch(context, branch);
    };
    const place = { org, pod, participant, principal, owns };
    const page = await readOrWait(context, place, reading, wait_seconds * 1000);
    return { structured: { pod, ...shortPage(page, context.config.limits.pageCharacters) } };
  },
});

const LOOK_AGAIN = 500;

/** The first page with something in it, or the last empty one when the time is up. */
async function readOrWait(
  { journal, signal, parts: { gateway } }: CallContext,
  place: PodReader,
  reading: PodReadQuery,
  milliseconds: number,
): Promise<ReadPage> {
  const deadline = performance.now() + milliseconds;
  let wake = () => {};
  const stop = journal.watch(({ events }) => {
    if (events.some(({ type }) => type === 'envelope.accepted')) wake();
  });
  try {
    for (let since = reading.since; ; ) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const page = await readPod(gateway, place, { ...reading, since });
      const left = deadline - performance.now();
      if (page.messages.length > 0 || left <= 0 || signal.aborted || gateway.ending.aborted) return page;
      since = page.next;
      // What only memory keeps is not announced by the journal.
      await waitFor(news, Math.min(left, LOOK_AGAIN), AbortSignal.any([signal, gateway.ending]));
    }
  } finally {
    stop();
  }
}

function waitFor(news: Promise<void>, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    void news.then(done);
  });
}

/** As many of the messages as fit; the rest comes with the next page. One that fills a page alone has its payload cut. */
function shortPage({ messages, next, more }: ReadPage, characters: number) {
  const room = roomFor(characters, {});
  const shownOnes = fitting(
    messages.map(({ seq, envelope }) => ({ seq, envelope })),
    room,
  );
  const last = shownOnes.at(-1);
  const isCut = last !== undefined && shownOnes.length < messages.length;
  const [only] = shownOnes;
  const fits = shownOnes.length > 1 || only === undefined;
  return {
    messages: fits ? [...shownOnes] : [{ ...only, envelope: withShortPayload(only.envelope, room) }],
    next: isCut ? last.seq : next,
    more: more || isCut,
  };
}

function withShortPayload(envelope: StoredEnvelope['envelope'], room: number): StoredEnvelope['envelope'] {
  const { payload, ...rest } = envelope;
  const { items, cut } = cutToFit([{ payload }], roomFor(room, rest));
  return cut === 0 ? envelope : { ...envelope, payload: items[0]!.payload };
}
