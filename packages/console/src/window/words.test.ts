import type { WindowReceipt } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { RULES as RUN } from '../../../client/src/window/types.ts';
import { baseUrls } from '../api/base-urls.ts';
import { linesOf } from './conversation/receipt-lines.ts';
import { RULES, toolName, wordsFor } from './rules.ts';
import { spokenTurn } from './turns/turn-words.ts';
import { turnWith } from './window.suite.ts';

describe('rules', () => {
  test('have words each, and those that nobody knows have their name', () => {
    expect(Object.keys(RULES).sort()).toEqual([...RUN].sort());
    for (const { why } of Object.values(RULES)) expect(why).toMatch(/^[A-Z].+\.$/);
    expect(wordsFor('melted').name).toBe('melted');
    expect(wordsFor('constructor').name).toBe('constructor');
  });

  test('tools of servers are called by their own names first', () => {
    expect(toolName('mcp__infold__context_branch')).toBe('context_branch (infold)');
    expect(toolName('Bash')).toBe('Bash');
  });
});

const usage = { input: 10, cache_read: 80, cache_write: 10, cache_write_long: 4, output: 5 };
const receiptWith = (more: Partial<WindowReceipt> = {}): WindowReceipt => ({
  conversation: {} as WindowReceipt['conversation'],
  since: null,
  requests: { all: 3, with_usage: 2, without_usage: 1, unanswered: 1, failed: 0, passed: [] },
  tokens: { ...usage, asked: 300, sent: 100, prompt: 100, untouched: 300 },
  cache_hit_share: 0.8,
  gone: [{ rule: 'folded', decisions: 1, requests: 2, tokens: 200 }],
  money: { requests: 2, unpriced: 0, actual: 1, untouched: 1.5, saved: 0.5 },
  entries: { first: 1, last: 9 },
  checkpoint: null,
  entries_to_go: 991,
  estimated: [],
  ...more,
});
const named = (receipt: WindowReceipt, name: string) => linesOf(receipt).find((line) => line.name === name);

describe('a receipt', () => {
  test('marks what was reckoned here, and nothing that the provider told', () => {
    const estimates = linesOf(receiptWith()).filter(({ isEstimate }) => isEstimate);
    expect(estimates.map(({ name }) => name)).toEqual([
      'Prompts without Infold, tokens',
      'Left, folded',
      'Cost without Infold',
      'Saved',
    ]);
    expect(named(receiptWith(), 'Requests')?.note).toBe(
      '1 without usage, not counted below; 1 without an answer',
    );
    expect(named(receiptWith(), 'Written to cache')?.note).toBe('4 for an hour');
  });

  test('claims nothing where usage is missing, and names no price where there is none', () => {
    const requests = { all: 1, with_usage: 0, without_usage: 1, unanswered: 0, failed: 1, passed: [] };
    const silent = linesOf(receiptWith({ requests, money: null, gone: [] }));
    expect(silent.map(({ name }) => name)).toEqual(['Requests', 'Cost']);
    expect(silent.at(-1)).toMatchObject({ value: 'not known', note: 'no answer reported its usage' });
    expect(named(receiptWith({ money: null }), 'Cost')?.note).toContain('window.prices');
  });

  test('says when it cost more', () => {
    const money = { requests: 2, unpriced: 1, actual: 2, untouched: 1, saved: -1 };
    expect(named(receiptWith({ money }), 'Cost more')).toMatchObject({ value: '$1.00', note: '100.0 %' });
    expect(named(receiptWith({ money }), 'Cost')?.note).toBe('1 request without a price');
  });
});

test('a turn is said in a sentence', () => {
  expect(spokenTurn(turnWith({ turn: 3, tokens: { asked: 1500, sent: 1000 } }), 9)).toBe(
    'Turn 3 of 9, about 1,000 tokens sent, about 500 left out, cache not known',
  );
});

test('addresses are given as the variables that hosts read, known ones first', () => {
  const at = (upstream: string) => ({ upstream, address: `http://here/model/${upstream}` });
  expect(baseUrls([at('own'), at('openai'), at('anthropic')])).toEqual([
    'export OPENAI_BASE_URL=http://here/model/openai/v1',
    'export ANTHROPIC_BASE_URL=http://here/model/anthropic',
    'http://here/model/own',
  ]);
});
