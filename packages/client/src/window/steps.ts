import type { CallPart, Message, ResultPart } from './types.ts';

/** What a model did at once: its words and calls, and the results of all of them. */
export interface Step {
  /** The places of its first message and behind its last one. */
  first: number;
  end: number;
  calls: readonly CallPart[];
  results: readonly { part: ResultPart; message: number }[];
}

/** The steps that are complete, in order. A call without its result belongs to none. */
export function findSteps(messages: readonly Message[]): Step[] {
  const steps: Step[] = [];
  let place = 0;
  while (place < messages.length) {
    if (messages[place]!.role !== 'assistant') {
      place++;
      continue;
    }
    const first = place;
    while (messages[place]?.role === 'assistant') place++;
    const calls = messages
      .slice(first, place)
      .flatMap(({ parts }) => parts.filter((part) => part.kind === 'call'));
    const open = new Set(calls.map(({ id }) => id));
    // An id that is there twice says nothing.
    if (calls.length === 0 || open.size < calls.length) continue;
    const results: Step['results'][number][] = [];
    let end = place;
    for (let at = place; at < messages.length && messages[at]!.role !== 'assistant' && open.size > 0; at++) {
      for (const part of messages[at]!.parts) {
        if (part.kind !== 'result' || !open.delete(part.id)) continue;
        results.push({ part, message: at });
        end = at + 1;
      }
    }
    if (open.size === 0) steps.push({ first, end, calls, results });
  }
  return steps;
}
