/** Why a request's body was passed on without being looked at. */
export const UNREAD = ['address', 'size', 'encoding', 'not_json', 'memory', 'disabled'] as const;
export type Unread = (typeof UNREAD)[number];

/** What went wrong where the original was sent in spite of it. */
export type FailedOpen = 'error' | 'late' | 'receipt' | 'secrets';

interface Failures {
  count: number;
  /** The last one in words, and when. */
  last: { at: number; why: string };
}

export interface TrafficReport {
  /** Answers by upstream and status; 0 stands for none. */
  answers: { upstream: string; status: number; count: number }[];
  unread: { why: Unread; count: number; bytes: number }[];
  failed_open: ({ what: FailedOpen } & Failures)[];
  secrets: { kind: string; count: number }[];
}

/** What passed to the models and how, since this process began. Holds names and numbers, nothing of what was said. */
export class Traffic {
  readonly #answers = new Map<string, Map<number, number>>();
  readonly #unread = new Map<Unread, { count: number; bytes: number }>();
  readonly #failed = new Map<FailedOpen, Failures>();
  readonly #secrets = new Map<string, number>();

  answered(upstream: string, status: number): void {
    const statuses = this.#answers.get(upstream) ?? new Map<number, number>();
    this.#answers.set(upstream, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  unread(why: Unread): void {
    const { count, bytes } = this.#unread.get(why) ?? { count: 0, bytes: 0 };
    this.#unread.set(why, { count: count + 1, bytes });
  }

  unreadBytes(why: Unread, more: number): void {
    const { count, bytes } = this.#unread.get(why) ?? { count: 0, bytes: 0 };
    this.#unread.set(why, { count, bytes: bytes + more });
  }

  failedOpen(what: FailedOpen, why: string, at: number): void {
    this.#failed.set(what, { count: (this.#failed.get(what)?.count ?? 0) + 1, last: { at, why } });
  }

  secretsFound(kinds: readonly string[]): void {
    for (const kind of kinds) this.#secrets.set(kind, (this.#secrets.get(kind) ?? 0) + 1);
  }

  report(): TrafficReport {
    return {
      answers: [...this.#answers].flatMap(([upstream, statuses]) =>
        [...statuses].map(([status, count]) => ({ upstream, status, count })),
      ),
      unread: [...this.#unread].map(([why, sums]) => ({ why, ...sums })),
      failed_open: [...this.#failed].map(([what, failures]) => ({ what, ...failures })),
      secrets: [...this.#secrets].map(([kind, count]) => ({ kind, count })),
    };
  }
}

declare module '../../call/parts.ts' {
  interface Parts {
    /** What passed to the models, and how. */
    traffic: Traffic;
  }
}
