import {
  Capabilities,
  CLOSE_CODES,
  type GatewayFilter,
  type Participant,
  type RuleVerdict,
} from '@infold/protocol';
import type { Caller } from '../../trust/identity/caller.ts';
import type { WireFrame } from '../wire/frame.ts';

/** The way to one participant. What is behind it is no business of the pod. */
export interface Wire {
  send(frame: WireFrame): void;
  /** Bytes that the network has not taken yet. */
  readonly buffered: number;
  /** Resolves when most of what was buffered is gone, or the connection is. */
  drained(): Promise<void>;
  close(code: number, reason: string): void;
}

/** Of somebody who speaks without being connected, and hears nothing. */
export const silentWire: Wire = {
  send() {},
  buffered: 0,
  drained: () => Promise.resolve(),
  close() {},
};

/** One participant's connection to a pod. */
export class Member {
  readonly id: string;
  readonly caller: Caller;
  readonly wire: Wire;
  readonly capabilities: string[];
  readonly #may: Capabilities;
  filter: GatewayFilter;
  /** The group of receivers with the same filter; none while it is catching up. */
  group: string | undefined;
  closed = false;
  /** Replays are answered one after the other. */
  work: Promise<void> = Promise.resolve();
  waiting = 0;
  readonly #limit: number;
  readonly #onSlow: (member: Member) => void;

  constructor(parts: {
    id: string;
    caller: Caller;
    wire: Wire;
    filter: GatewayFilter;
    bufferLimit: number;
    onSlow?: (member: Member) => void;
  }) {
    this.id = parts.id;
    this.caller = parts.caller;
    this.wire = parts.wire;
    this.filter = parts.filter;
    // Who may only read has nothing to send.
    this.capabilities = parts.caller.scopes.includes('write') ? [...parts.caller.capabilities] : [];
    this.#may = new Capabilities(this.capabilities);
    this.#limit = parts.bufferLimit;
    this.#onSlow = parts.onSlow ?? (() => {});
  }

  /** Whether it may send this where the pod's rules say so; who may only read may send nothing. */
  permits(kind: string, verdict: RuleVerdict | undefined): boolean {
    return this.caller.scopes.includes('write') && this.#may.permits(kind, verdict);
  }

  get participant(): Participant {
    return { id: this.id, capabilities: this.capabilities };
  }

  /** SUB-12: a reader that does not keep up is let go, and can come back for the rest. */
  send(frame: WireFrame): void {
    if (this.closed) return;
    const { buffered } = this.wire;
    if (buffered > 0 && buffered + frame.bytes > this.#limit) {
      this.#onSlow(this);
      return;
    }
    this.wire.send(frame);
  }

  close(code: number, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.wire.close(code, reason);
  }

  get hasRoom(): boolean {
    return this.wire.buffered * 2 < this.#limit;
  }
}

export const TOO_SLOW = [CLOSE_CODES.tooSlow, 'too slow: resume with ?since='] as const;
