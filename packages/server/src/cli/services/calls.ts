import type { z } from 'zod';
import { type Action, bindAction } from '../../call/action.ts';
import { perform } from '../../call/perform.ts';
import { fromText } from '../../call/text-arguments.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import type { Output } from '../output.ts';
import type { progressBar } from '../progress-bar.ts';
import type { Services } from './services.ts';

export type ActionOutput<Called extends Action> = z.output<Called['output']>;
export type ActionArguments = Record<string, unknown>;

/** Calls an action and returns its output, or throws. */
export type ActionCaller = <Called extends Action>(
  action: Called,
  given: ActionArguments,
) => Promise<ActionOutput<Called>>;

/** Calls actions on an open data folder as this caller. */
export function callsOf(
  services: Services,
  caller: Caller,
  { output, bar }: { output?: Output; bar?: ReturnType<typeof progressBar> | undefined } = {},
): ActionCaller {
  return async (action, given) => {
    const bound = bindAction(action, services.config.limits);
    const { answer, failure, notices } = await perform(services, bound, {
      input: inputFrom(given, bound.input),
      caller,
      connection: Connection.alone(),
      signal: new AbortController().signal,
      ...(bar && { progress: bar.update }),
    });
    bar?.done();
    for (const notice of notices) if (!says(answer?.structured, notice)) output?.note(notice);
    if (failure) throw failure;
    return answer.structured as ActionOutput<typeof action>;
  };
}

/** Whether a text of the answer says it already. */
function says(answer: unknown, notice: string): boolean {
  return Object.values(answer ?? {})
    .flat()
    .some((value) => typeof value === 'string' && value.includes(notice));
}

/** Flags are strings; the field decides what a string means. */
function inputFrom(given: ActionArguments, { shape }: z.ZodObject): ActionArguments {
  const read = (name: string, value: unknown) =>
    typeof value === 'string' && name in shape ? fromText(shape[name] as z.ZodType, value) : value;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, read(name, value)]),
  );
}
