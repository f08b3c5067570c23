import type { WindowPrompt } from '@infold/protocol';
import { toolName } from '../rules.ts';

export type PromptBlock = WindowPrompt['blocks'][number];

/** What became of a block on its way to the model. */
export type Fate = 'whole' | 'replaced' | 'gone';

export function fateOf({ tokens, rule }: Pick<PromptBlock, 'tokens' | 'rule'>): Fate {
  if (rule === null) return 'whole';
  return tokens.sent === 0 ? 'gone' : 'replaced';
}

/** What a block is, in a few words. */
export function titleOf({ kind, role, tool }: Pick<PromptBlock, 'kind' | 'role' | 'tool'>): string {
  switch (kind) {
    case 'system':
      return 'System prompt';
    case 'tools':
      return 'Tool definitions';
    case 'call':
      return tool === null ? 'Call' : `Call of ${toolName(tool)}`;
    case 'result':
      return tool === null ? 'Result' : `Result of ${toolName(tool)}`;
    case 'text':
      return role === 'assistant' ? 'Model' : role === 'system' ? 'System' : 'Person';
    case 'other':
      return role === 'assistant' ? 'Model, not text' : 'Not text';
  }
}

export interface Sums {
  asked: number;
  sent: number;
  /** The largest block: bars are as wide as their share of it. */
  largest: number;
  gone: number;
}

export function sumsOf(blocks: readonly PromptBlock[]): Sums {
  const sums: Sums = { asked: 0, sent: 0, largest: 1, gone: 0 };
  for (const block of blocks) {
    sums.asked += block.tokens.asked;
    sums.sent += block.tokens.sent;
    sums.largest = Math.max(sums.largest, block.tokens.asked, block.tokens.sent);
    if (fateOf(block) !== 'whole') sums.gone++;
  }
  return sums;
}

/** One line of it, for a row: line ends and tabs become spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
