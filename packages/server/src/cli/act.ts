import type { z } from 'zod';
import { type Action, bindAction } from '../call/action.ts';
import { fromText } from '../call/from-text.ts';
import { perform } from '../call/perform.ts';
import { localOwner } from '../trust/caller.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import type { Run } from './command-line.ts';
import { EXIT } from './output.ts';
import { progressBar } from './progress.ts';
import { createServices, openExistingJournal, openJournal } from './services.ts';

export type Answered<Acted extends Action> = z.output<Acted['output']>;

interface How<Acted extends Action> {
  /** The answer as people read it. */
  show: (answer: Answered<Acted>) => string;
  /** A data folder that is not there is made. */
  makesFolder?: boolean;
  /** What is told while it goes on; nothing where it is absent. */
  progress?: string;
  /** For answers that mean that something was found. */
  exitCode?: (answer: Answered<Acted>) => number;
}

/** Does one action for who owns the data folder. A command is its flags, and a way to show the answer. */
export async function act<Acted extends Action>(
  { report: { config }, output, logLevel }: Run,
  action: Acted,
  given: Record<string, unknown>,
  { show, makesFolder = false, progress, exitCode }: How<Acted>,
): Promise<number> {
  const journal = await (makesFolder ? openJournal : openExistingJournal)(config);
  const bar = progress === undefined ? undefined : progressBar(progress);
  const services = createServices(config, journal, logLevel);
  try {
    const bound = bindAction(action, config.limits);
    const { answer, failure, notices } = await perform(services, bound, {
      input: inputFrom(given, bound.input),
      caller: localOwner,
      connection: Connection.alone(),
      signal: new AbortController().signal,
      ...(bar && { progress: bar.update }),
    });
    bar?.done();
    for (const notice of notices) output.note(notice);
    if (failure) throw failure;
    const structured = answer.structured as Answered<Acted>;
    output.answer(structured, () => show(structured));
    return exitCode?.(structured) ?? EXIT.done;
  } finally {
    bar?.done();
    await services.settle();
    await journal.close();
  }
}

/** Flags are texts; what a text means is up to the field. */
function inputFrom(given: Record<string, unknown>, { shape }: z.ZodObject): Record<string, unknown> {
  const read = (name: string, value: unknown) =>
    typeof value === 'string' && name in shape ? fromText(shape[name] as z.ZodType, value) : value;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, read(name, value)]),
  );
}
