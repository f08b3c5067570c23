import type { WindowTurnView } from '@infold/protocol';

/** A turn of 1,000 tokens that nobody answered yet, but for what a test says. */
export function turnWith(more: Partial<WindowTurnView> = {}): WindowTurnView {
  return {
    turn: 1,
    at: '2026-11-16T05:00:00.000Z',
    parent: null,
    model: 'claude-sonnet-4-5',
    messages: 3,
    held: { system: 200, tools: 300, text: 100, results: [{ tool: 'Bash', count: 2, tokens: 400 }] },
    gone: [],
    tokens: { asked: 1000, sent: 1000 },
    is_cold: true,
    passed: null,
    answer: null,
    estimated: [],
    ...more,
  };
}
