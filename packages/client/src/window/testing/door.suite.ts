import { createHash } from 'node:crypto';
import { PRICES } from '../cache-model.suite.ts';
import { parentsFrom } from '../parents.ts';
import { type KnownDecision, type Plan, planWindow, SURELY_HELD, type WindowSettings } from '../plan.ts';
import { type Reading, readRequest } from '../read.ts';
import type { Sent } from './play.suite.ts';

export const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 27);

interface Turn {
  conversation: string;
  messages: number;
  at: number;
  prompt: string;
}

interface Line {
  decisions: readonly KnownDecision[];
  balance: number;
  turns: number;
  /** The provider's tokens for one of ours. */
  scale?: number;
}

/** What the server's door does with a request, without a server: what it remembers is in memory. */
export class MemoryDoor {
  readonly #turns = new Map<string, Turn[]>();
  readonly #lines = new Map<string, Line>();
  readonly #settings: Partial<WindowSettings>;
  #handles = 0;
  #last: { line: Line; sent: number } | undefined;

  constructor(settings: Partial<WindowSettings> = {}) {
    this.#settings = settings;
  }

  ask(
    sent: Pick<Sent, 'text' | 'dialect' | 'model' | 'session' | 'agent' | 'at' | 'headers'>,
  ): Plan & { reading: Reading; decisions: readonly KnownDecision[] } {
    const { dialect, text, at } = sent;
    const reading = readRequest(text, dialect, digest);
    const { conversation: asked, digests } = reading;
    // Hosts that say nothing of their session are known by how they begin.
    const isNamed =
      dialect !== 'gemini' && Object.keys(sent.headers).some((name) => /session|thread/.test(name));
    const key = isNamed ? `${sent.session} ${sent.agent}` : digests[0]!;
    const known = digests.toReversed().flatMap((one) => this.#turns.get(one) ?? []);
    const parent = known[0];
    const own = this.#lines.get(key) ?? { decisions: [], balance: 0, turns: 0 };
    const others =
      parent && parent.conversation !== key ? this.#lines.get(parent.conversation)!.decisions : [];
    const prompt = [sent.model, asked.system.digest, asked.tools.digest].join(' ');
    const prices = PRICES[dialect];
    const isLong = asked.cache?.mark.includes('"1h"') ?? false;
    const lifetime = dialect === 'anthropic' ? (isLong ? 3_660_000 : 360_000) : 90_000_000;
    const plan = planWindow(
      reading,
      {
        ...own,
        decisions: [...new Set([...others, ...own.decisions])],
        parents: parentsFrom(known, prompt, { now: at, lifetime: SURELY_HELD * lifetime }),
      },
      {
        prices: { read: prices.read, write: isLong ? prices.writeLong : prices.write },
        lifetime,
        contextWindow: 200_000,
        digest,
        newHandle: () => `win_${String(this.#handles++).padStart(20, '0')}`,
        ...this.#settings,
      },
    );
    const turn = { conversation: key, messages: digests.length, at, prompt };
    this.#turns.set(digests.at(-1)!, [turn, ...(this.#turns.get(digests.at(-1)!) ?? [])]);
    const line: Line = {
      ...own,
      decisions: [
        ...new Set([...others, ...own.decisions]),
        ...plan.taken.map(({ decision }) => ({ ...decision, at })),
      ],
      balance: own.balance + plan.cost.asked - plan.cost.sent,
      turns: own.turns + 1,
    };
    this.#lines.set(key, line);
    this.#last = { line, sent: plan.tokens.sent };
    return { ...plan, reading, decisions: line.decisions };
  }

  /** What the provider counted for the prompt that was sent last. */
  answered(promptTokens: number): void {
    if (this.#last) this.#last.line.scale = promptTokens / this.#last.sent;
  }
}
