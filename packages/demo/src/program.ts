import type { Job } from './script/job.ts';

/** What the demo needs of the program that runs it. */
export interface DemoProgram {
  readonly version: string;
  readonly output: {
    readonly json: boolean;
    /** One JSON document with `--json`, else what people read. */
    answer(value: unknown, human: () => string): void;
  };
  /** The workflow and the records that every project of its server has. */
  readonly job: Job;
  /** Tokens of a text in the o200k vocabulary. */
  countTokens(text: string): number;
  /** A whole server on a free port, with a data folder that is gone when it is closed. */
  startServer(projects: readonly string[]): Promise<DemoServer>;
}

export interface DemoServer {
  readonly url: string;
  close(): Promise<void>;
}
