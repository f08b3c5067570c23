import { cachedOf, type Dialect, type KnownDecision } from '@infold/client/window';
import type { WindowBlock, WindowPrompt } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import { FORGOTTEN, type Journal } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { GiveWay } from '../../kernel/give-way.ts';
import { FORGOTTEN_TEXT } from '../../trust/forget.ts';
import { priceOf } from '../costs/prices.ts';
import {
  conversationById,
  decisionsNamed,
  promptTokens,
  turnWithDigest,
  type WindowConversation,
  type WindowTurn,
} from '../queries.ts';
import type { OpenRequest, Readers } from '../requests/readers.ts';
import type { ReadBlock } from '../requests/request-reader.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** Undefined as long as nothing was asked of a model here. */
    windowPrompts: WindowPrompts | undefined;
  }
}

/** A request as it came, and what it takes to tell what became of it. */
export interface HeldPrompt {
  body: Uint8Array;
  dialect: Dialect;
  model: string | null;
  at: number;
  /** Of all its messages. */
  digest: string;
  /** Of the decisions that it was laid out by, in their order; none where it was sent as it came. */
  handles: readonly string[];
}

/** What an entry takes besides its bytes, and each handle of it. */
const AROUND = 512;
const HANDLE = 64;
/** Characters of a text that are looked through for secrets, of which so many are shown: none may be cut in half. */
const LOOKED_AT = 2000;
const SHOWN = 280;
const MOST = 200_000;

interface PromptServices {
  journal: Journal;
  config: Config;
  scrubber: Scrubber;
}

/**
 * The last prompts of the conversations that were used last, in memory alone. Only references are taken on a request's way:
 * what they say is read when somebody looks.
 */
export class WindowPrompts {
  readonly #services: PromptServices;
  readonly #readers: Readers;
  readonly #most: number;
  /** The one that was used least recently first. */
  readonly #held = new Map<string, HeldPrompt>();
  readonly #stop: () => void;
  #bytes = 0;

  constructor(services: PromptServices, readers: Readers) {
    this.#services = services;
    this.#readers = readers;
    this.#most = services.config.limits.promptsHeldBytes;
    this.#stop = services.journal.watch(({ events }) => {
      if (events.some(({ type }) => type === FORGOTTEN)) this.#dropForgotten();
    });
  }

  get bytes(): number {
    return this.#bytes;
  }

  close(): void {
    this.#stop();
    this.#held.clear();
    this.#bytes = 0;
  }

  hold(conversation: string, prompt: HeldPrompt): void {
    this.drop(conversation);
    if (sizeOf(prompt) > this.#most) return;
    this.#held.set(conversation, prompt);
    this.#bytes += sizeOf(prompt);
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#most) break;
      this.drop(oldest);
    }
  }

  /** It was sent as it came, after all. */
  sentWhole(conversation: string, body: Uint8Array): void {
    const held = this.#held.get(conversation);
    if (held?.body === body) this.hold(conversation, { ...held, handles: [] });
  }

  drop(conversation: string): void {
    const held = this.#held.get(conversation);
    if (!held) return;
    this.#held.delete(conversation);
    this.#bytes -= sizeOf(held);
  }

  async read(conversation: WindowConversation, giveWay: GiveWay): Promise<WindowPrompt | undefined> {
    const held = this.#find(conversation);
    if (!held) return undefined;
    const turn = this.#turnOf(conversation, held);
    const blocks = await this.#open(held, (request, decisions) => request.blocks(decisions, LOOKED_AT));
    const cached = cachedIn(blocks, turn);
    const told: WindowPrompt['blocks'] = [];
    for (const [index, block] of blocks.entries()) {
      await giveWay();
      const { message, role, kind, tool, call, tokens, rule, handle, instead } = block;
      told.push({
        ...{ index, message: message ?? null, role, kind, tool: tool ?? null, call: call ?? null, tokens },
        ...{ is_cached: cached[index] ?? null, rule: rule ?? null, handle: handle ?? null },
        preview: this.#preview(block.text),
        instead: instead === undefined ? null : this.#preview(instead),
      });
    }
    return {
      ...{ turn: turn?.turn ?? conversation.turns + 1, at: isoTime(held.at), model: held.model },
      context_window: contextWindowOf(this.#services.config, held.model),
      is_kept: true,
      blocks: told,
    };
  }

  async block(conversation: WindowConversation, index: number): Promise<WindowBlock | undefined> {
    const held = this.#find(conversation);
    if (!held) return undefined;
    const block = await this.#open(held, (request, decisions) =>
      request.block(decisions, index, MOST + LOOKED_AT),
    );
    if (!block)
      throw new InfoldError(
        'not_found',
        `The prompt has no block ${index}; it may have changed, so read the list of blocks again`,
      );
    const turn = this.#turnOf(conversation, held)?.turn ?? conversation.turns + 1;
    const text = this.#clean(block.text);
    return {
      ...{
        turn,
        index,
        text: text.slice(0, MOST),
        is_cut: text.length > MOST || block.length > block.text.length,
      },
      instead: block.instead === undefined ? null : this.#clean(block.instead).slice(0, MOST),
    };
  }

  async #open<Answer>(
    { body, dialect, handles }: HeldPrompt,
    ask: (request: OpenRequest, decisions: readonly KnownDecision[]) => Promise<Answer>,
  ): Promise<Answer> {
    const decisions = decisionsNamed(this.#services.journal.database, handles);
    const request = await this.#readers.open(body, dialect);
    try {
      return await ask(request, decisions as unknown as KnownDecision[]);
    } finally {
      request.done();
    }
  }

  #find({ id, key }: WindowConversation): HeldPrompt | undefined {
    if (key === FORGOTTEN_TEXT) this.drop(id);
    return this.#held.get(id);
  }

  #turnOf({ id }: WindowConversation, { digest }: HeldPrompt): WindowTurn | undefined {
    return turnWithDigest(this.#services.journal.database, id, digest);
  }

  /** Another process may have been told to. */
  #dropForgotten(): void {
    const { database } = this.#services.journal;
    for (const id of [...this.#held.keys()]) {
      if (conversationById(database, id)?.key === FORGOTTEN_TEXT) this.drop(id);
    }
  }

  #clean(text: string): string {
    return this.#services.scrubber.scrub(text).text;
  }

  #preview(text: string): string {
    const clean = this.#clean(text);
    return clean.length <= SHOWN ? clean : `${clean.slice(0, SHOWN - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  }
}

/** What there is to say of a prompt that is not held. */
export function promptNotKept({ turns, last_at, model }: WindowConversation, config: Config): WindowPrompt {
  return {
    ...{ turn: turns, at: isoTime(last_at), model, context_window: contextWindowOf(config, model) },
    ...{ is_kept: false, blocks: [] },
  };
}

function contextWindowOf({ window }: Config, model: string | null): number | null {
  return priceOf(model, window.prices)?.contextWindow ?? null;
}

function sizeOf({ body, handles }: HeldPrompt): number {
  return body.byteLength + AROUND + HANDLE * handles.length;
}

/** Nothing is known before the answer came, and where it told nothing. */
function cachedIn(blocks: readonly ReadBlock[], turn: WindowTurn | undefined): (boolean | undefined)[] {
  const usage = turn?.answer?.usage;
  if (!usage || promptTokens(usage) === 0) return [];
  return cachedOf(blocks, usage.cache_read / promptTokens(usage));
}
