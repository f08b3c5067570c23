import { hash } from 'node:crypto';
import type { CachePrices, KnownDecision, Rule } from '@infold/client/window';
import {
  blocksOf,
  type Dialect,
  type Plan,
  type PromptBlock,
  planWindow,
  type Reading,
  RULES,
  readRequest,
  textOfBlock,
  type WindowState,
} from '@infold/client/window';
import { randomId } from '../../kernel/ids.ts';

/** What of a request says which conversation it belongs to, and how it goes on. */
export interface RequestOutline {
  model: string | undefined;
  /** After each message, of all up to it. */
  digests: readonly string[];
  system_digest: string;
  tools_digest: string;
  /** The model has not said anything yet. */
  isFirst: boolean;
  /** The provider is asked to hold what it caches for an hour. */
  isLong: boolean;
}

/** What a plan goes by besides the request and what is known of its conversation. */
export interface PlanSettings {
  off: readonly Rule[];
  prices: CachePrices;
  lifetime: number;
  contextWindow: number | undefined;
}

/** A plan with the bytes to send, where they are not those that came. */
export type WrittenPlan = Omit<Plan, 'text'> & { body: Uint8Array | undefined };

/** A block of a prompt, with as much of its text as was asked for. */
export type ReadBlock = Omit<PromptBlock, 'part'> & { text: string; length: number };

export function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 27);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads bytes, and plans for what it read: in this thread, or in another one for large bodies. */
export class RequestReader {
  readonly #reading: Reading;

  constructor(body: Uint8Array, dialect: Dialect) {
    this.#reading = readRequest(decoder.decode(body), dialect, digest);
  }

  get outline(): RequestOutline {
    const { conversation, digests } = this.#reading;
    return {
      model: conversation.model,
      digests,
      isFirst: conversation.messages.every(({ role }) => role !== 'assistant'),
      system_digest: conversation.system.digest,
      tools_digest: conversation.tools.digest,
      isLong: conversation.cache?.mark.includes('"1h"') ?? false,
    };
  }

  plan(state: WindowState, { off, prices, lifetime, contextWindow }: PlanSettings): WrittenPlan {
    const { text, ...plan } = planWindow(this.#reading, state, {
      ...{ prices, lifetime, digest },
      ...(contextWindow !== undefined && { contextWindow }),
      off: new Set(off),
      newHandle: () => randomId('win'),
    });
    return { ...plan, body: text === undefined ? undefined : Buffer.from(text) };
  }

  /** As decisions leave it that were taken, and no others. */
  replay(state: WindowState, decisions: readonly KnownDecision[], settings: PlanSettings): WrittenPlan {
    return this.plan({ ...state, decisions }, { ...settings, off: RULES });
  }

  /** What became of each block, with the beginnings of their texts. */
  blocks(decisions: readonly KnownDecision[], most: number): ReadBlock[] {
    return blocksOf(this.#reading, decisions, digest).map((block) => this.#read(block, most));
  }

  /** One of them alone, so that the texts of the others need not go from thread to thread. */
  block(decisions: readonly KnownDecision[], index: number, most: number): ReadBlock | undefined {
    const block = blocksOf(this.#reading, decisions, digest)[index];
    return block && this.#read(block, most);
  }

  #read(block: PromptBlock, most: number): ReadBlock {
    const { part: _, ...told } = block;
    const text = textOfBlock(this.#reading, block);
    return { ...told, text: text.slice(0, most), instead: told.instead?.slice(0, most), length: text.length };
  }
}
