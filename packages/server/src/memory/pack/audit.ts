import type { Journal } from '../../journal/journal.ts';
import type { InfoldError } from '../../kernel/errors.ts';
import type { Caller } from '../../trust/caller.ts';
import type { Scrubber } from '../../trust/scrub/index.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { memoryStream } from '../../trust/streams.ts';
import type { MemoryEvent, PackCompiled, PackDenied } from '../events.ts';

const MOST_COUNTED = 10_000;

/** PACK-09: what packs were compiled for whom, and which were refused. Never the goal's text. */
export class PackAudit {
  readonly #journal: Journal;
  readonly #scrubber: Scrubber;
  /** How often each refusal happened, so that repeated ones are counted and not written one by one. */
  readonly #denials: Map<string, number>;

  constructor(journal: Journal, scrubber: Scrubber, denials: Map<string, number>) {
    this.#journal = journal;
    this.#scrubber = scrubber;
    this.#denials = denials;
  }

  /** Answers what the caller should be told when it could not be written: a pack is not refused for that. */
  async compiled(caller: Caller, session: Session | undefined, data: PackCompiled): Promise<string | undefined> {
    try {
      await this.#write(caller, session?.stream ?? memoryStream(caller.org), { type: 'pack.compiled', data });
      return undefined;
    } catch (error) {
      return `This pack was not audited: ${(error as Error).message}`;
    }
  }

  async denied(caller: Caller, error: InfoldError, data: Omit<PackDenied, 'count' | 'code'>): Promise<void> {
    const key = JSON.stringify([caller.org, caller.principal, data.tool, data.project, data.agent_id, error.code]);
    const count = (this.#denials.get(key) ?? 0) + 1;
    if (this.#denials.size >= MOST_COUNTED) this.#denials.clear();
    this.#denials.set(key, count);
    if (!/^10*$/.test(String(count))) return;
    try {
      const denied = { ...data, project: data.project?.slice(0, 200) ?? null, code: error.code, count };
      await this.#write(caller, memoryStream(caller.org), { type: 'pack.denied', data: denied });
    } catch {
      // The caller gets the refusal itself, which matters more.
    }
  }

  async #write(caller: Caller, stream: string, event: MemoryEvent): Promise<void> {
    // Names that callers choose (a domain, an agent) reach the journal here, without passing the scrubber of writes.
    const { value } = this.#scrubber.scrubValue(event);
    const decide = () => ({ events: [value], answer: null });
    await this.#journal.commit({ stream, actor: caller.actor, group: true, decide });
  }
}
