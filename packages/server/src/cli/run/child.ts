import { type ChildProcess, spawn } from 'node:child_process';
import { constants as system } from 'node:os';

export interface Invocation {
  program: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
}

/** Ctrl-C reaches everything in a terminal's foreground, so the command as well: it must not get it twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', ...FROM_TERMINAL];

/** Runs a command with our terminal as its own, and answers its exit code when it has ended, however it did. */
export function runChild({ program, args, environment }: Invocation): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: environment });
    const isTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
    const forward = (signal: NodeJS.Signals) => {
      if (!(isTerminal && FROM_TERMINAL.includes(signal))) child.kill(signal);
    };
    // Should we break, what talks through us cannot go on.
    const end = () => child.kill('SIGTERM');
    for (const signal of FORWARDED) process.on(signal, forward);
    process.once('exit', end);
    const settle = () => {
      for (const signal of FORWARDED) process.removeListener(signal, forward);
      process.removeListener('exit', end);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      settle();
      resolve(exitCodeFor(code, signal));
    });
  });
}

/** As shells tell it. */
function exitCodeFor(code: number | null, signal: ChildProcess['signalCode']): number {
  return code ?? 128 + (signal === null ? 0 : system.signals[signal]);
}
