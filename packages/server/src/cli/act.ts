import type { Action } from '../call/action.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { Run } from './command-line.ts';
import { EXIT } from './output.ts';
import { progressBar } from './progress-bar.ts';
import type { ActionArguments, ActionCaller, ActionOutput } from './services/calls.ts';
import type { Services } from './services/services.ts';

interface ActOptions {
  /** Creates a data folder that does not exist. */
  makesFolder?: boolean;
  /** The caller, where it is not the local owner. */
  caller?: Caller;
  /** Writes nothing: where the cluster does not answer, what this machine has is used. */
  reads?: boolean;
  /** The label of a progress bar; without it, none is shown. */
  progress?: string;
}

interface ShowOptions<Called extends Action> extends ActOptions {
  /** The output as people read it. */
  show: (answer: ActionOutput<Called>) => string;
  /** What `--json` prints, where that is not the output itself. */
  json?: (answer: ActionOutput<Called>) => object;
  /** For outputs that report a finding. */
  exitCode?: (answer: ActionOutput<Called>) => number;
}

/** Calls one action as the owner of the data folder. A command is its flags, and a way to show the output. */
export function act<Called extends Action>(
  run: Run,
  action: Called,
  /** A function where the arguments depend on what is in the data folder. */
  given: ActionArguments | ((database: Database) => ActionArguments),
  { show, json, exitCode, ...options }: ShowOptions<Called>,
): Promise<number> {
  return actInFolder(run, { reads: action.scope === 'read', ...options }, async (call, { journal }) => {
    const answer = await call(action, typeof given === 'function' ? given(journal.database) : given);
    run.output.answer(json?.(answer) ?? answer, () => show(answer));
    return exitCode?.(answer) ?? EXIT.done;
  });
}

/** For commands that call several actions, or do something besides. The program is loaded here: help needs none of it. */
export async function actInFolder<Result>(
  { report, output, logLevel }: Run,
  { makesFolder = false, caller, reads = false, progress }: ActOptions,
  work: (call: ActionCaller, services: Services) => Promise<Result>,
): Promise<Result> {
  const [
    { openExistingJournal, openJournal, openJournalToRead },
    { createServices },
    { callsOf },
    { localOwner },
    { systemClock },
  ] = await Promise.all([
    import('./services/journal.ts'),
    import('./services/create.ts'),
    import('./services/calls.ts'),
    import('../trust/identity/caller.ts'),
    import('../kernel/clock.ts'),
  ]);
  const { config } = report;
  const journal = await (makesFolder
    ? openJournal(config)
    : reads
      ? openJournalToRead(config, output.note)
      : openExistingJournal(config));
  const bar = progress === undefined ? undefined : progressBar(progress);
  const services = createServices(config, journal, logLevel, systemClock, report);
  try {
    return await work(callsOf(services, caller ?? localOwner, { output, bar }), services);
  } finally {
    bar?.done();
    await services.settle();
    await services.records.close();
    await journal.close();
  }
}
