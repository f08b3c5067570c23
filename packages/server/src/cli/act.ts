import type { z } from 'zod';
import { type Action, bindAction } from '../call/action.ts';
import { perform } from '../call/perform.ts';
import { fromText } from '../call/text-arguments.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import { type Caller, localOwner } from '../trust/identity/caller.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import type { Run } from './command-line.ts';
import { EXIT, type Output } from './output.ts';
import { progressBar } from './progress.ts';
import { createServices, openExistingJournal, openJournal, type Services } from './services/services.ts';

export type Answered<Acted extends Action> = z.output<Acted['output']>;

interface Where {
  /** A data folder that is not there is made. */
  makesFolder?: boolean;
  /** Who acts, where it is not the owner as such. */
  caller?: Caller;
  /** What is told while it goes on; nothing where it is absent. */
  progress?: string;
}

interface How<Acted extends Action> extends Where {
  /** The answer as people read it. */
  show: (answer: Answered<Acted>) => string;
  /** What JSON says, where that is not the answer as it is. */
  json?: (answer: Answered<Acted>) => object;
  /** For answers that mean that something was found. */
  exitCode?: (answer: Answered<Acted>) => number;
}

type Given = Record<string, unknown>;

/** Does one action for who owns the data folder. A command is its flags, and a way to show the answer. */
export function act<Acted extends Action>(
  run: Run,
  action: Acted,
  /** A function where what is in the data folder decides. */
  given: Given | ((database: Database) => Given),
  { show, json, exitCode, ...where }: How<Acted>,
): Promise<number> {
  return actInFolder(run, where, async (call, { journal }) => {
    const answer = await call(action, typeof given === 'function' ? given(journal.database) : given);
    run.output.answer(json?.(answer) ?? answer, () => show(answer));
    return exitCode?.(answer) ?? EXIT.done;
  });
}

/** Does an action and answers what it answers, or throws. */
export type Call = <Acted extends Action>(action: Acted, given: Given) => Promise<Answered<Acted>>;

/** For commands that do more than one action, or something besides. */
export async function actInFolder<Result>(
  { report, output, logLevel }: Run,
  { makesFolder = false, caller = localOwner, progress }: Where,
  work: (call: Call, services: Services) => Promise<Result>,
): Promise<Result> {
  const journal = await (makesFolder ? openJournal : openExistingJournal)(report.config);
  const bar = progress === undefined ? undefined : progressBar(progress);
  const services = createServices(report.config, journal, logLevel, systemClock, report);
  try {
    return await work(callsOf(services, caller, { output, bar }), services);
  } finally {
    bar?.done();
    await services.settle();
    await services.records.close();
    await journal.close();
  }
}

/** Actions on an open data folder, in somebody's name. */
export function callsOf(
  services: Services,
  caller: Caller,
  { output, bar }: { output?: Output; bar?: ReturnType<typeof progressBar> | undefined } = {},
): Call {
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
    return answer.structured as Answered<typeof action>;
  };
}

/** Whether a text of the answer holds it already. */
function says(answer: unknown, notice: string): boolean {
  return Object.values(answer ?? {}).some((value) => typeof value === 'string' && value.includes(notice));
}

/** Flags are texts; what a text means is up to the field. */
function inputFrom(given: Given, { shape }: z.ZodObject): Given {
  const read = (name: string, value: unknown) =>
    typeof value === 'string' && name in shape ? fromText(shape[name] as z.ZodType, value) : value;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, read(name, value)]),
  );
}
