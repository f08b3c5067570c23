import type { WindowUsage } from '@infold/protocol/events';
import { countTokens } from '../../kernel/tokens/count.ts';

interface Body {
  system: unknown[];
  tools: unknown[];
  messages: { role: string; content: unknown[] }[];
}

/**
 * Stands in for a model's provider: it reads from its cache what the last request had in the same order, writes the rest to it,
 * and counts both with the vocabulary that we have.
 */
export class SimulatedProvider {
  readonly #tokens = new Map<string, number>();
  #held: string[] = [];

  answer(body: Uint8Array, output: string): WindowUsage {
    const { system, tools, messages } = JSON.parse(new TextDecoder().decode(body)) as Body;
    const content = messages.flatMap(({ role, content: blocks }) => blocks.map((block) => [role, block]));
    const blocks = [...system, tools, ...content].map(withoutMarks);
    const firstNew = blocks.findIndex((block, place) => block !== this.#held[place]);
    const known = firstNew === -1 ? blocks.length : firstNew;
    const sum = (some: string[]) => some.reduce((tokens, block) => tokens + this.#weigh(block), 0);
    this.#held = blocks;
    return {
      input: 3,
      cache_read: sum(blocks.slice(0, known)),
      cache_write: sum(blocks.slice(known)),
      cache_write_long: 0,
      output: countTokens(output),
    };
  }

  #weigh(block: string): number {
    const tokens = this.#tokens.get(block) ?? countTokens(block);
    this.#tokens.set(block, tokens);
    return tokens;
  }
}

/** Where the cache is to end is no part of what it holds. */
function withoutMarks(block: unknown): string {
  return JSON.stringify(block, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}
