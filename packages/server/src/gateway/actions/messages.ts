import { gatewayApi, type InputOf, type OutputOf } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Answer } from '../../call/answer.ts';
import { cursorNumber } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import { checkPod } from './pod-of-call.ts';

type Shape = typeof gatewayApi.listPodMessages;

export const listPodMessages = defineAction(gatewayApi.listPodMessages, {
  run: (input, context) => pageOf(gatewayApi.listPodMessages, input, context),
});

export const searchPodMessages = defineAction(gatewayApi.searchPodMessages, {
  run: (input, context) => pageOf(gatewayApi.searchPodMessages, input, context),
});

async function pageOf(
  action: { name: string },
  { pod, q, since, before, cursor, order, ...query }: InputOf<Shape>,
  context: CallContext,
): Promise<Answer<OutputOf<Shape>>> {
  checkPod(context, pod);
  const from = placeOf(since);
  const to = placeOf(before);
  const isNewestFirst = order === 'newest';
  const page = cursor === undefined ? undefined : cursorNumber(action, cursor, 0);
  const { messages, more } = await context.parts.gateway.messages(context.caller.org, pod, {
    ...query,
    text: q,
    isNewestFirst,
    since: isNewestFirst ? from.seq : (page ?? from.seq),
    after_time: from.time,
    before: isNewestFirst ? (page ?? to.seq) : to.seq,
    before_time: to.time,
  });
  return {
    structured: {
      messages: messages.map(({ seq, epoch, envelope }) => ({ seq, epoch, envelope })),
      next: more ? String(messages.at(-1)!.seq) : null,
    },
  };
}

/** A position, or a time. */
function placeOf(text: string | undefined): { seq?: number; time?: number } {
  if (text === undefined) return {};
  return /^\d+$/.test(text) ? { seq: Number(text) } : { time: Date.parse(text) };
}
