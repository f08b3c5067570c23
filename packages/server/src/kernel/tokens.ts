import { createRequire } from 'node:module';

type Encode = (text: string) => number;
let count: Encode | undefined;

/**
 * Tokens of a text in the o200k vocabulary. The vocabulary takes tens of milliseconds and megabytes to load, so
 * it is loaded on first use.
 */
export function countTokens(text: string): number {
  if (!count) {
    const require = createRequire(import.meta.url);
    const module = require('gpt-tokenizer/encoding/o200k_base') as { countTokens: Encode };
    count = module.countTokens;
  }
  return count(text);
}
