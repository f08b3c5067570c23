import { resultText } from '@infold/client';
import type { ToolCall } from '@infold/client/mcp';
import { type Done, type Job, pageByPage, Conversation as Script, taskOf } from '@infold/demo/script';
import { Observable } from '../design/hooks/observable.ts';
import type { Conversation } from './conversation.ts';
import type { ToolAnswer } from './entries.ts';
import type { McpConnection } from './mcp/connection.ts';
import { type CategoryMove, movesIn } from './moves.ts';
import { sentenceOf } from './sentence.ts';

/** What it works on: the records and the workflow of the sample data. */
export const SAMPLE: Job = { workflow: 'reclassify', model: 'sample_activities' };

export interface DemoState {
  /** `waiting` for the next step; `failed` at a call that can be made again. */
  status: 'idle' | 'starting' | 'waiting' | 'running' | 'failed' | 'done';
  /** The call that comes next, or that failed. */
  next: ToolCall | undefined;
  page: number;
  /** Zero until the first page told. */
  pages: number;
  /** What it found: activities that belong elsewhere. */
  moves: readonly CategoryMove[];
  /** How many it has read. */
  activities: number;
  problem: string | undefined;
}

const IDLE: DemoState = {
  ...{ status: 'idle', next: undefined, page: 0, pages: 0 },
  ...{ moves: [], activities: 0, problem: undefined },
};

class Stopped extends Error {}

/**
 * The scripted agent of `infold demo`, with a hand on it: every call waits until it is let through. It runs in the
 * conversation that the page shows.
 */
export class Demo {
  readonly state = new Observable(IDLE);
  readonly #conversation: Conversation;
  #isRunning = false;
  #isStopped = false;
  #isFirst = true;
  #waiting: { go: () => void; stop: (error: Error) => void } | undefined;

  readonly #pace: number;

  /** @param pace milliseconds between two calls of a run */
  constructor(conversation: Conversation, pace: number) {
    this.#conversation = conversation;
    this.#pace = pace;
  }

  /** Makes the first call; those after it wait for steps, or follow at once. */
  async start(connect: () => Promise<McpConnection>, isRunning: boolean): Promise<Done | undefined> {
    if (!['idle', 'done'].includes(this.state.read().status)) return undefined;
    this.#isRunning = isRunning;
    this.#isFirst = true;
    this.#isStopped = false;
    this.state.change(() => ({ ...IDLE, status: 'starting' }));
    const conversation = this.#conversation;
    try {
      const connection = await connect();
      conversation.clear();
      const task = taskOf(SAMPLE);
      conversation.show('user', task);
      const script = new Script({
        task,
        history: conversation.history,
        countTokens: conversation.countTokens,
        project: conversation.project,
        tools: { callTool: (call) => this.#call(connection, call) },
      });
      const done = await pageByPage(script, SAMPLE);
      const last = conversation.history.at(-1)?.content;
      if (typeof last === 'string') conversation.show('model', last);
      this.state.change((state) => ({ ...state, status: 'done', next: undefined }));
      return done;
    } catch (error) {
      conversation.dropUnanswered();
      const problem = error instanceof Stopped ? undefined : sentenceOf(error);
      this.state.change((state) => ({ ...IDLE, page: state.page, pages: state.pages, problem }));
      return undefined;
    }
  }

  /** Makes the call that waits, or that failed, and no other. */
  step(): void {
    this.#isRunning = false;
    this.#release();
  }

  run(): void {
    this.#isRunning = true;
    this.#release();
  }

  pause(): void {
    this.#isRunning = false;
  }

  stop(): void {
    this.#isRunning = false;
    this.#isStopped = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.stop(new Stopped());
  }

  #release(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.state.change((state) => ({ ...state, status: 'running', problem: undefined }));
    waiting.go();
  }

  async #call(connection: McpConnection, call: ToolCall): Promise<ToolAnswer> {
    await this.#turn(call);
    for (;;) {
      const problem = await this.#tried(connection, call);
      if (typeof problem !== 'string') {
        this.#note(problem);
        return problem;
      }
      this.state.change((state) => ({ ...state, status: 'failed', problem }));
      this.#isRunning = false;
      await this.#released();
    }
  }

  /** Waits for its turn: for a step, or for as long as somebody needs to see what came before. */
  async #turn(next: ToolCall): Promise<void> {
    if (this.#isRunning) {
      this.state.change((state) => ({ ...state, status: 'running', next }));
      await new Promise((resolve) => setTimeout(resolve, this.#pace));
      this.#isFirst = false;
      if (this.#isRunning) return;
    }
    if (this.#isStopped) throw new Stopped();
    if (this.#isFirst) {
      this.#isFirst = false;
      this.state.change((state) => ({ ...state, status: 'running', next }));
      return;
    }
    this.state.change((state) => ({ ...state, status: 'waiting', next }));
    await this.#released();
  }

  #released(): Promise<void> {
    return new Promise((go, stop) => {
      this.#waiting = { go, stop };
    });
  }

  /** What it answered, or why not. */
  async #tried(connection: McpConnection, call: ToolCall): Promise<ToolAnswer | string> {
    try {
      const answer = await this.#conversation.call(connection, call);
      return answer.isError ? resultText(answer) : answer;
    } catch (error) {
      return sentenceOf(error);
    }
  }

  #note({ structuredContent }: ToolAnswer): void {
    const { pagination, records } = (structuredContent ?? {}) as {
      pagination?: { page?: unknown; total_pages?: unknown };
      records?: unknown;
    };
    const { page, total_pages: pages } = pagination ?? {};
    if (typeof page !== 'number' || typeof pages !== 'number' || !Array.isArray(records)) return;
    this.state.change((state) => ({
      ...{ ...state, page, pages },
      activities: state.activities + records.length,
      moves: [...state.moves, ...movesIn(records)],
    }));
  }
}
