import type { Journal } from '../../journal/journal.ts';
import type { AccessDenied, AccessEvent } from '../identity/events.ts';
import { accessStream } from '../streams.ts';

const FLUSH_INTERVAL = 60_000;
/** Different denials remembered at once; what comes beyond is counted together. */
const MOST = 1000;
const MANY = '(many)';
const UNREGISTERED = 'system';

export type Denial = Omit<AccessDenied, 'count'>;

/**
 * Puts denials on record. The first one of its kind is written at once; repeats are counted and written once a
 * minute, so that somebody who hammers at the door fills a counter and not the disk.
 */
export class DenialLog {
  readonly #journal: Journal;
  readonly #onError: (error: unknown) => void;
  readonly #counts = new Map<string, { denial: Denial; waiting: number }>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  constructor(journal: Journal, onError: (error: unknown) => void) {
    this.#journal = journal;
    this.#onError = onError;
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL);
    this.#timer.unref();
  }

  record(denial: Denial): void {
    const key = JSON.stringify([denial.org, denial.principal, denial.action, denial.resource, denial.code]);
    const known = this.#counts.get(key);
    if (known) {
      known.waiting++;
      return;
    }
    if (this.#counts.size >= MOST && denial.principal !== MANY) {
      this.record({ ...denial, principal: MANY, action: MANY, resource: MANY });
      return;
    }
    this.#counts.set(key, { denial, waiting: 0 });
    this.#write({ ...denial, count: 1 });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#flush();
    await Promise.all(this.#pending);
  }

  #flush(): void {
    for (const [key, { denial, waiting }] of this.#counts) {
      this.#counts.delete(key);
      if (waiting > 0) this.#write({ ...denial, count: waiting });
    }
  }

  #write(data: AccessDenied): void {
    const denied: AccessEvent = { type: 'access.denied', data };
    const work = this.#journal
      .commit({
        stream: accessStream(data.org),
        actor: { org: data.org, principal: UNREGISTERED },
        group: true,
        decide: () => ({ events: [denied], answer: undefined }),
      })
      .catch(this.#onError);
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }
}
