import type { McpServices } from '../../mcp/tools/call.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { SecretFinder } from '../../window/requests/secrets.ts';

type LeavingServices = Pick<McpServices, 'config' | 'log' | 'clock' | 'scrubber' | 'parts' | 'turns'>;

/** Looks at what is about to leave the machine for secrets, where the configuration says so: after everything else is done. */
export class OutgoingSecrets {
  readonly #services: LeavingServices;
  readonly #finder: SecretFinder;

  constructor(services: LeavingServices) {
    this.#services = services;
    this.#finder = new SecretFinder(services.scrubber);
  }

  /** What is to be sent instead; undefined where nothing is. */
  async check(caller: Caller, upstream: string, body: Uint8Array): Promise<Buffer | undefined> {
    const { config, log, parts, turns, clock } = this.#services;
    const { scrub } = config.window;
    if (!scrub) return undefined;
    try {
      const { fresh, count, text } = await this.#finder.find(Buffer.from(body).toString(), () =>
        turns.giveWay(caller),
      );
      if (fresh.length > 0) {
        parts.traffic.secretsFound(fresh);
        const kinds = [...new Set(fresh)].sort();
        const what = scrub === 'redact' ? 'secrets were replaced' : 'secrets leave the machine';
        log.warn({ upstream, kinds, places: count }, `${what} on their way to a model`);
      }
      return scrub === 'redact' && text !== undefined ? Buffer.from(text) : undefined;
    } catch (error) {
      // It may quote what it stumbled over.
      const why = error instanceof SyntaxError ? 'the body is not valid JSON' : 'scanning for secrets failed';
      parts.traffic.failedOpen('secrets', why, clock());
      log.warn(
        { what: 'secrets', why, upstream },
        'a request was sent to the model without being scanned for secrets',
      );
      return undefined;
    }
  }
}
