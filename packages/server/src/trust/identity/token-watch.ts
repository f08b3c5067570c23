import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from './caller.ts';
import { tokenById } from './queries.ts';

/** Tokens end by themselves without anybody writing it down, so one has to look; this is how often. */
const LOOK = 250;

type Holder = Pick<Caller, 'tokenId' | 'expiresAt'>;

/**
 * Ends what was opened with a token and outlives the request, when the token is revoked, by whichever process, or
 * expires. The journal is watched only while something is open.
 */
export class TokenWatch {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #open = new Map<() => void, Holder>();
  #stopWatching: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Calls `end` when the token has ended, at once if it has; returns the way to stop waiting for that. */
  whenEnded({ tokenId, expiresAt }: Holder, end: () => void): () => void {
    if (tokenId === null && expiresAt === null) return () => {};
    // A key of its own: the same function may stand for several things that are open.
    const key = () => end();
    this.#open.set(key, { tokenId, expiresAt });
    this.#begin();
    if (this.#hasEnded({ tokenId, expiresAt })) this.#end(key);
    return () => this.#forget(key);
  }

  #begin(): void {
    this.#stopWatching ??= this.#journal.watch(({ events }) => {
      for (const { type, data } of events) if (type === 'token.revoked') this.#revoked(data.id);
    });
    this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
  }

  #forget(key: () => void): void {
    this.#open.delete(key);
    if (this.#open.size > 0) return;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #hasEnded({ tokenId, expiresAt }: Holder): boolean {
    if (expiresAt !== null && expiresAt <= this.#clock()) return true;
    return tokenId !== null && tokenById(this.#journal.database, tokenId)?.revoked_at !== null;
  }

  #revoked(id: string): void {
    for (const [key, { tokenId }] of [...this.#open]) if (tokenId === id) this.#end(key);
  }

  #look(): void {
    const now = this.#clock();
    for (const [key, { expiresAt }] of [...this.#open])
      if (expiresAt !== null && expiresAt <= now) this.#end(key);
  }

  #end(key: () => void): void {
    this.#forget(key);
    key();
  }
}
