import { messageOf } from '../../kernel/errors.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import type { AnswerReport, ModelRequest, Prepare, PreparedRequest } from '../../window/requests/prepare.ts';
import type { FailedOpen } from '../../window/requests/traffic.ts';

/** Milliseconds that a host is made to wait for what is prepared; longer for what takes longer to read. */
const PATIENCE = { usual: 2000, large: 5000, largeFrom: 8 * 1024 * 1024 };

/** What was prepared, with everything that may go wrong in it caught. */
interface SafePrepared {
  body: Uint8Array | undefined;
  answered(report: AnswerReport): void;
  failed(reason: 'unreachable' | 'gone'): void;
}

interface PreparationServices extends Pick<McpServices, 'log' | 'clock' | 'scrubber' | 'parts'> {
  prepare: Prepare;
}

/** WIN-07: whatever happens while a request is prepared, the host gets its answer from the model. */
export class RequestPreparation {
  readonly #services: PreparationServices;
  readonly #patience: typeof PATIENCE;

  constructor(services: PreparationServices, patience = PATIENCE) {
    this.#services = services;
    this.#patience = patience;
  }

  /** Undefined: the original is to be sent. */
  async prepare(request: ModelRequest): Promise<SafePrepared | undefined> {
    const { usual, large, largeFrom } = this.#patience;
    const wait = request.body.length > largeFrom ? large : usual;
    const late = new AbortController();
    const signal = AbortSignal.any([request.signal, late.signal]);
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, wait, undefined);
    });
    try {
      const preparing = this.#services.prepare({ ...request, signal });
      const prepared = await Promise.race([preparing, timeUp]);
      if (prepared) return this.#safe(prepared);
      late.abort();
      this.#failedOpen('late', `nothing was prepared within ${wait / 1000} s`, request);
      preparing.then(
        (tooLate) => this.#quietly(() => tooLate.failed?.('late')),
        () => {},
      );
    } catch (error) {
      if (!request.signal.aborted) this.#failedOpen('error', this.#why(error), request);
    } finally {
      clearTimeout(timer);
    }
    return undefined;
  }

  #safe(prepared: PreparedRequest): SafePrepared {
    return {
      body: prepared.body,
      answered: (report) => this.#quietly(() => prepared.answered(report)),
      failed: (reason) => this.#quietly(() => prepared.failed?.(reason)),
    };
  }

  /** The answer has been passed on by then: it is only its record that is missing. */
  #quietly(work: () => void | Promise<void>): void {
    const onError = (error: unknown) => this.#failedOpen('receipt', this.#why(error));
    try {
      Promise.resolve(work()).catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  #failedOpen(what: FailedOpen, why: string, request?: ModelRequest): void {
    const { parts, log, clock } = this.#services;
    parts.traffic.failedOpen(what, why, clock());
    const where = request && {
      upstream: request.upstream,
      dialect: request.dialect,
      bytes: request.body.length,
    };
    log.warn({ what, why, ...where }, 'a request was sent to the model as it came');
  }

  /** An error may quote what it stumbled over, and that is part of a conversation. */
  #why(error: unknown): string {
    if (error instanceof SyntaxError) return 'the body is not valid JSON';
    return this.#services.scrubber.scrub(messageOf(error).slice(0, 300)).text;
  }
}
