import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ask } from './socket.ts';
import { spool } from './spool.ts';
import type { Kept } from './window.ts';

export interface HooksOptions {
  /** As Infold names it: `opencode`, `pi`. */
  host: string;
  data: string;
  /** Where the host works. */
  folder: string;
}

/** What is told at an event, besides what is told at each. */
export type Payload = Readonly<Record<string, unknown>>;

/** How long the host waits: the same as for a hook that is a program. */
const BUDGET = { PostToolUse: 1500, PostToolUseFailure: 1500 } as Readonly<Record<string, number>>;
const LONGEST = 2500;
const PAUSE = 50;
/** How long a server that has just been started may take until it listens. */
export const STARTING = 2000;

/** Where Infold keeps its data, as its own commands find it. */
export function dataFolder(data: unknown): string {
  const told = typeof data === 'string' && data !== '' ? data : process.env.INFOLD_DATA;
  return resolve(told || join(homedir(), '.infold'));
}

/** Tells Infold what happens in a host, in the words of Claude Code's hooks. It never throws, and never waits for long. */
export class Hooks {
  readonly #options: HooksOptions;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /**
   * What Infold has to say to it, for the model to read. Nobody listens: it is written down, and taken in later. `patience` is
   * for how long somebody may be about to: a host starts its servers and a session at the same time.
   */
  async tell(
    event: string,
    session: string,
    payload: Payload = {},
    patience = 0,
  ): Promise<string | undefined> {
    const { data } = this.#options;
    const frame = this.#frame(event, session, payload);
    const deadline = Date.now() + patience;
    try {
      for (;;) {
        const answer = await ask(data, frame, BUDGET[event] ?? LONGEST);
        if (answer !== undefined) return contextIn(answer);
        if (Date.now() >= deadline) break;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
      spool(data, frame);
    } catch {}
    return undefined;
  }

  /** Puts originals into the archive. Whether they are there: only then may they leave the window. */
  async keep(session: string, originals: readonly Kept[]): Promise<boolean> {
    try {
      const frame = this.#frame('WindowOriginals', session, { originals });
      const answer = await ask(this.#options.data, frame, LONGEST);
      return answer !== undefined && JSON.parse(answer).kept === originals.length;
    } catch {
      return false;
    }
  }

  #frame(event: string, session: string, payload: Payload): string {
    const { host, folder } = this.#options;
    const told = { session_id: session, cwd: folder, hook_event_name: event, ...payload };
    return JSON.stringify({
      v: 1,
      id: randomUUID(),
      host,
      event,
      at: Date.now(),
      env: { PWD: folder },
      // A stdio server that this host started has it for its parent.
      ancestors: [process.pid, process.ppid],
      payload: JSON.stringify(told),
    });
  }
}

function contextIn(answer: string): string | undefined {
  if (answer === '') return undefined;
  const context: unknown = JSON.parse(answer).hookSpecificOutput?.additionalContext;
  return typeof context === 'string' && context !== '' ? context : undefined;
}
